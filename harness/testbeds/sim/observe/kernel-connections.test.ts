// Goal: tags of an association of SCTP are those of its packets, though the switch prints the
// kernel's in the machine's byte order. Method: what a switch printed of an association whose tags
// were 46066994 and 748093434, on a machine whose least significant byte comes first.
import { endianness } from 'node:os';
import t from 'tap';
import { withTags } from './connections.js';

void t.test('tags', (t) => {
  const isSwapped = endianness() === 'LE';
  const seen = 'state=CLOSED,vtag_orig=854441474,vtag_reply=4211054124';
  const sent = 'state=CLOSED,vtag_orig=46066994,vtag_reply=748093434';
  t.equal(withTags(isSwapped ? seen : sent), sent);
  t.equal(
    withTags('state=CLOSED,vtag_orig=0,vtag_reply=0'),
    'state=CLOSED,vtag_orig=0,vtag_reply=0',
  );
  t.equal(withTags(''), '');
  t.end();
});
