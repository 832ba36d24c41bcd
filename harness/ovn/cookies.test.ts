// Goal: a flow's cookie is named by what its southbound row says, not by the row's UUID. Method:
// flows of two compilations whose UUIDs differ and whose rows are alike.
import t from 'tap';
import { renameCookies, type FlowSource } from './cookies.js';

const sources = (cookie: string): readonly FlowSource[] => [
  { cookie, canonical: '0x77', text: 'port p1' },
];

void t.test('alike rows give alike cookies, and others stay as they are', async (t) => {
  const flow = (cookie: string) => ` cookie=${cookie}, table=0, priority=1 actions=note:00`;
  t.strictSame(
    renameCookies([flow('0xabc')], sources('0xabc')),
    renameCookies([flow('0xdef')], sources('0xdef')),
  );
  t.strictSame(renameCookies([flow('0xabc')], sources('0xdef')), [flow('0xabc')]);
});
