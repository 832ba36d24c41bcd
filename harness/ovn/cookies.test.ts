// Goal: a flow's cookie is named by what its southbound row says, not by the row's UUID. Method:
// flows of two compilations whose UUIDs differ and whose rows are alike.
import t from 'tap';
import { renameCookies, type FlowSource } from './cookies.js';
import { tunnelOptionsIn } from './dumped-program.js';

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

void t.test('tunnel options are read from what ovs-ofctl prints', async (t) => {
  t.strictSame(
    tunnelOptionsIn(
      'NXT_TLV_TABLE_REPLY (xid=0x4):\n max option space=256 max fields=64\n allocated option ' +
        'space=4\n\n mapping table:\n  class  type  length  match field\n ------  ----  ------  ' +
        '--------------\n  0x102  0x80       4  tun_metadata0\n',
    ),
    ['{class=0x102,type=0x80,len=4}->tun_metadata0'],
  );
});
