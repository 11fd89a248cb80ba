/**
 * What a channel needs its operator for, as a process last saw it: to pay, to mend a key, to allow a host. It is
 * for people: nothing is decided by it, and it ends with its process.
 */
export interface ChannelTrouble {
  readonly channel: string
  /** Our code: that of a `NotCreated`, or `HOST_REFUSED`. */
  readonly reason: string
  /** What its provider said of it, cut, without secrets; the host that was refused. Empty for nothing. */
  readonly words: string
  /** When it was first seen so, ms, by the deployment's clock. */
  readonly since: number
}

/** Outputs lie at a host that the channel may not ask. */
export const HOST_REFUSED = "output_host_refused"

/** The line that the channel's configuration lacks for outputs at that host. */
export function toHostLine(host: string): string {
  return `"outputHosts": ${JSON.stringify([host])}`
}
