/**
 * Named points at which a test may pause, throw or kill. Every point is listed here, so that a
 * scenario can visit them all; production passes no probe.
 */
export const PROBE_POINTS = [
  "submit:before-append",
  "submit:after-append",
  "dispatch:before-append",
  "dispatch:after-append",
  "dispatch:after-call",
  "outcome:before-append",
  "outcome:after-append",
  "follow:after-poll",
  "collect:before-put",
  "collect:after-put",
  "succeed:before-append",
  "succeed:after-append",
  "sweep:before-append",
  "sweep:after-append",
  "sweep:after-remove",
] as const

export type ProbePoint = (typeof PROBE_POINTS)[number]

export type Probe = (point: ProbePoint, task: string) => void | Promise<void>
