/** Whether this process may list the addresses of its machine, without which no URL of a stranger is opened. */
import type { Log } from "@safelight/core"
import { canListOwnAddresses } from "@safelight/fetch-guarded"

export const NETLINK_ADVICE =
  "allow netlink sockets (systemd: RestrictAddressFamilies with AF_NETLINK): until then no public URL is opened"

export function warnOfUnknownAddresses(log: Log): void {
  if (!canListOwnAddresses()) log.warn({ advice: NETLINK_ADVICE }, "own addresses not listed")
}
