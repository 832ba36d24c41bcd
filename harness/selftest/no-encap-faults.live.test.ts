// Goal: faults in what the agent makes of a Linux node's stack without tunnels are caught. Method:
// each fault into a stack of its own, with the vectors that it concerns.
import t from 'tap';
import { openImage } from '../../images/images.js';
import noEncap from '../../scenarios/antrea/no-encap.js';
import { noEncapFaults } from './no-encap-faults.js';
import { plantFaults } from './testkit/plant-faults.js';

const image = await openImage('trixie', (line) => t.comment(line));

plantFaults(image, noEncap, {}, noEncapFaults, ['ping/asker1/x1', 'ping/asker1/web2']);
