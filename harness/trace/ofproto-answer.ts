/** What `ovs-appctl ofproto/trace` prints of a packet, as far as it is compared. */

export interface OfprotoAnswer {
  /** The packet as the switch has read it. */
  readonly flow: string;
  /** The packet as the first translation left it. */
  readonly finalFlow: string;
  /** `set(eth(…)),2`: those of the first translation. */
  readonly actions: string;
}

/** Undefined where it is no such answer. */
export function readOfprotoAnswer(text: string): OfprotoAnswer | undefined {
  const lineOf = (title: string) => new RegExp(`^${title}: (.*)$`, 'm').exec(text)?.[1];
  const [flow, final, actions] = ['Flow', 'Final flow', 'Datapath actions'].map(lineOf);
  if (flow === undefined || final === undefined || actions === undefined) return undefined;
  return {
    flow: comparable(flow),
    finalFlow: comparable(final === 'unchanged' ? flow : final),
    actions,
  };
}

/**
 * Without the fields that ofproto/trace prints though the packet does not have them (lib/flow.c,
 * flow_format), and with those of each flow in one order. The id of a tunnel with an address is not
 * printed unless flags(key) came with it, which OpenFlow has no word for
 * (flow_wildcards_init_for_packet).
 */
export function comparable(flow: string): string {
  const fields = flow
    .replace(/,vlan_tci1=0x0000\b|,nd_(?:tll|sll)=00:00:00:00:00:00|\bnd_reserved=0,/g, '')
    .split(',')
    .filter((field) => !noise.test(field));
  const hasAddress = fields.some((field) => /^tun_(ipv6_)?dst=/.test(field));
  return fields
    .filter((field) => !(hasAddress && field.startsWith('tun_id=')))
    .toSorted()
    .join(',');
}

/** A tunnel's fields without a tunnel, flags that flows do not match, and what every packet is. */
const noise = /^(eth|recirc_id=.*|(tun|gtpu)_\w+=(0|::|0x0|0\.0\.0\.0)|tun_flags=(?!oam|\+oam).*)$/;

/** One action after the other, whatever stands in parentheses. */
function topActions(actions: string): readonly string[] {
  const found: string[] = [];
  let [depth, start] = [0, 0];
  for (let index = 0; index <= actions.length; index++) {
    const character = actions.charAt(index);
    if (character === '(') depth++;
    if (character === ')') depth--;
    if (index < actions.length && (character !== ',' || depth > 0)) continue;
    found.push(actions.slice(start, index));
    start = index + 1;
  }
  return found;
}

/** What the datapath decides by itself, so that the actions alone do not say what comes out. */
const conditional = /\b(check_pkt_len|sample|meter|trunc|tnl_push|lb_output|dec_ttl)\(/;

/**
 * The datapath's numbers of the ports that the packet goes out of, sorted; undefined where that
 * does not follow from the actions alone.
 */
export function outputsOf(actions: string): readonly number[] | undefined {
  if (conditional.test(actions)) return undefined;
  const numbers = (text: string): readonly number[] =>
    topActions(text).flatMap((action) => {
      if (/^\d+$/.test(action)) return [Number(action)];
      const inner = /^clone\((.*)\)$/.exec(action)?.[1];
      return inner === undefined ? [] : numbers(inner);
    });
  return numbers(actions).toSorted((a, b) => a - b);
}
