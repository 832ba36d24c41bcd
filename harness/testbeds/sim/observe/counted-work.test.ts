/**
 * Goal: counts of a datapath are read as they are printed. Method: what Open vSwitch 3.5 prints.
 */
import t from 'tap';
import { parseProbes, parseRecirculations } from './counted-work.js';

const shown = `main thread:
  packets received: 600
  packet recirculations: 120
  avg. datapath passes per packet: 1.20
  phwol hits: 0
  mfex opt hits: 0
  simple match hits: 0
  emc hits: 20
  smc hits: 0
  megaflow hits: 700
  avg. subtable lookups per megaflow hit: 2.50
  miss with success upcall: 4
  miss with failed upcall: 0
`;

void t.test('recirculations and probes, of all threads', (t) => {
  t.equal(parseRecirculations(shown), 120);
  t.equal(parseProbes(shown), 1750);
  t.equal(parseProbes(shown.replace('main', 'pmd') + shown), 3500);
  t.equal(parseProbes('nothing'), 0);
  t.equal(parseRecirculations('nothing'), undefined);
  t.end();
});
