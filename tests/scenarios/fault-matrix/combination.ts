/**
 * One field of the matrix: what goes wrong at the provider, how often, and where the process dies
 * meanwhile. It is told by its text, which is in the message of every failure, and by which it is
 * played again alone.
 */
import { PROBE_POINTS, type ProbePoint } from "@safelight/core"
import { STUB_FAULTS, STUBS, type StubFaults } from "@safelight/testkit/stubs"
import type { Lane } from "./lanes.ts"

export interface Fault {
  readonly place: "create" | "poll" | "download" | "own" | "skewMs"
  readonly name: string
}

export interface Crash {
  readonly point: ProbePoint
  /** Which pass of the point the process dies at, from 1. */
  readonly pass: number
}

export interface Combination {
  readonly lane: Lane
  readonly fault: Fault | null
  /** How often the fault strikes; Infinity until the task has ended. */
  readonly times: number
  readonly crash: Crash | null
}

/** Further than the tolerance of any signature, on both sides. */
const SKEWS = ["-600000", "600000"]

/** All that can go wrong at the lane's provider. */
export async function listFaults(lane: Lane): Promise<readonly Fault[]> {
  const start = STUBS[lane.stub]
  if (start === undefined) throw new Error(`${lane.stub} has no stub`)
  await using stub = await start()
  return (["create", "poll", "download"] as const)
    .flatMap((place): Fault[] => STUB_FAULTS[place].map((name) => ({ place, name })))
    .concat(stub.ownFaults.map((name) => ({ place: "own", name })))
    .concat(SKEWS.map((name) => ({ place: "skewMs", name })))
}

export function toStubFaults({ fault, times }: Combination): Partial<StubFaults> {
  if (fault === null) return {}
  const often = times === Infinity ? {} : { times }
  switch (fault.place) {
    case "own":
      return { own: [fault.name], ...often }
    case "skewMs":
      return { skewMs: Number(fault.name) }
    case "create":
    case "poll":
    case "download":
      return { [fault.place]: fault.name, ...often }
  }
}

export function toText({ lane, fault, times, crash }: Combination): string {
  const often = times === Infinity ? "always" : "once"
  const wrong = fault === null ? "no fault" : `${fault.place} ${fault.name} ${often}`
  const death = crash === null ? "no crash" : `dies at pass ${crash.pass} of ${crash.point}`
  return [lane.title, wrong, death].join(", ")
}

const toCrashes = (pass: number): readonly Crash[] => PROBE_POINTS.map((point) => ({ point, pass }))

export const FIRST_CRASHES = toCrashes(1)
export const CRASHES = [...FIRST_CRASHES, ...toCrashes(2)]
