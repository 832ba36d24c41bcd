import type { NorthboundRow } from '../../domain/plan/northbound-plan.js';

/**
 * What ovn-northd would draw by itself, and otherwise each time (ovn-nb(5), NB_Global, "options"):
 * a prefix of MACs, and those that services are monitored from and, since OVN 26.03, at.
 */
export const northdChoices: NorthboundRow = {
  table: 'NB_Global',
  id: 'global',
  columns: {
    options: {
      map: {
        mac_prefix: '0a:58:00',
        svc_monitor_mac: '0a:58:00:00:00:01',
        svc_monitor_mac_dst: '0a:58:00:00:00:02',
      },
    },
  },
};
