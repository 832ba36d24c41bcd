/** Ways in which an API server lies to a watcher. */
import type { Lie } from './lying-proxy.js';

/** A status and words. */
export const say =
  (code: number, body: string): Lie =>
  (response) =>
    void response.writeHead(code, { 'content-type': 'application/json' }).end(body);
const expired = '{"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired"}}\n';
const nameless = '{"type":"ADDED","object":{"kind":"NetworkPolicy"}}\n';
const list = (rest: string) => `{"kind":"List","items":[]${rest}}`;
/** What the server says, to a watch and to the list that follows, and what is reported. */
export const lies: readonly (readonly [string, readonly Lie[], readonly Lie[], RegExp])[] = [
  ['410 Gone before a watch', [say(410, '{}')], [], /has forgotten version/],
  ['410 Gone in a watch', [say(200, expired)], [], /has forgotten version/],
  ['ends watches at once', [say(200, ''), say(200, ''), say(200, '')], [], /holds the lock/],
  ['words that are no JSON', [say(200, '<html>')], [], /no JSON/],
  ['an object without a name', [say(200, nameless)], [], /without a name/],
  ['an error of its own', [say(500, '{}')], [say(500, '{}'), say(403, '{}')], /a watch 500/],
  ['a list without a version', [say(410, '{}')], [say(200, list(''))], /no list/],
  [
    'a list of the past, empty',
    [say(410, '{}')],
    [say(200, list(',"metadata":{"resourceVersion":"1"}'))],
    /lists version 1 after/,
  ],
  ['no end of a list', [say(410, '{}')], [(response) => response.destroy()], /not answer/],
  [
    'half a line of a watch',
    [(response) => (response.writeHead(200), response.write('{"ty'), response.destroy())],
    [],
    /policies/,
  ],
];
