/**
 * One field of the matrix: what goes wrong at the provider, how often, and where the process dies
 * meanwhile. It is told by its text, which is in the message of every failure, and by which it is
 * played again alone.
 */
import { PROBE_POINTS, type ProbePoint } from "@safelight/core"
import { STUB_FAULTS, STUBS, type StubFaults } from "@safelight/testkit/stubs"
import { SIGNERS_BY_JOB, type Lane } from "./lanes.ts"

export interface Fault {
  readonly place: "create" | "poll" | "download" | "webhook" | "own" | "skewMs"
  readonly name: string
  /** Whether the answer to the create is lost besides: only a webhook tells of the work then. */
  readonly isReplyLost?: boolean
}

export interface Crash {
  readonly point: ProbePoint
  /** Which pass of the point the process dies at, from 1. */
  readonly pass: number
  /** How long nobody is there afterwards. */
  readonly downMs: number
}

export interface Combination {
  readonly lane: Lane
  readonly fault: Fault | null
  /** How often the fault strikes; Infinity until the task has ended. */
  readonly times: number
  readonly crash: Crash | null
  /** At the first pass of this point the account cancels the task, at each boot from then on once. */
  readonly cancelAt?: ProbePoint
}

/** Further than the tolerance of any signature, on both sides. */
const SKEWS = ["-600000", "600000"]

/** All that can go wrong at the lane's provider; where it calls back, of what is bound up with that. */
export async function listFaults(lane: Lane): Promise<readonly Fault[]> {
  const faults = await listPlainFaults(lane)
  if (lane.webhooks === null) return faults
  const isByJob = SIGNERS_BY_JOB.includes(lane.stub)
  const told = STUB_FAULTS.webhook
    .filter((name) => !isByJob || name !== "foreign")
    .map((name): Fault => ({ place: "webhook", name }))
  const [creates, others] = [true, false].map((isCreate) =>
    faults.filter(({ place }) => place !== "download" && (place === "create") === isCreate),
  ) as [Fault[], Fault[]]
  const untold = [...told, ...others].map((fault) => ({ ...fault, isReplyLost: true }))
  return [...creates, ...told, ...untold]
}

async function listPlainFaults(lane: Lane): Promise<readonly Fault[]> {
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
  return { ...toFaultsAt(fault, often), ...(fault.isReplyLost === true && { create: "reset" }) }
}

function toFaultsAt(fault: Fault, often: Pick<Partial<StubFaults>, "times">): Partial<StubFaults> {
  switch (fault.place) {
    case "own":
      return { own: [fault.name], ...often }
    case "skewMs":
      return { skewMs: Number(fault.name), ...often }
    case "create":
    case "poll":
    case "download":
    case "webhook":
      return { [fault.place]: fault.name, ...often }
  }
}

export function toText({ lane, fault, times, crash, cancelAt }: Combination): string {
  const often = times === Infinity ? "always" : "once"
  const lost = fault?.isReplyLost === true ? " after a lost reply" : ""
  const wrong = fault === null ? "no fault" : `${fault.place} ${fault.name}${lost} ${often}`
  const death = crash === null ? "no crash" : toDeathText(crash)
  const cancelled = cancelAt === undefined ? [] : [`cancelled at ${cancelAt}`]
  return [lane.title, wrong, death, ...cancelled].join(", ")
}

function toDeathText({ point, pass, downMs }: Crash): string {
  const down = downMs === 0 ? "" : ` for ${downMs} ms`
  return `dies at pass ${pass} of ${point}${down}`
}

function toCrashes(pass: number, downMs = 0): readonly Crash[] {
  return PROBE_POINTS.map((point) => ({ point, pass, downMs }))
}

/** Longer than a stub's job runs, and shorter than a webhook is tried again. */
export const DOWN_MS = 5_000

export const FIRST_CRASHES = toCrashes(1)
const LASTING_CRASHES = toCrashes(1, DOWN_MS)
const SECOND_CRASHES = toCrashes(2)
export const CRASHES = [...FIRST_CRASHES, ...SECOND_CRASHES, ...LASTING_CRASHES]

/** Where a task that has not ended can be cancelled. */
export const CANCEL_POINTS = PROBE_POINTS.filter((point) => !point.startsWith("sweep:"))
