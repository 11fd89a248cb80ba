/**
 * How the upstream behaves, call by call, told from the seed, the key and how often it was asked.
 * Every misbehaviour comes to an end: a later call under the same key or operation is answered
 * well, so whatever does not end in a round is the fault of the engine.
 */
import type { CreationCourse } from "./creations.ts"
import type { Flaw } from "./products.ts"
import { pickByText } from "./random.ts"

/** What becomes of a request to create; all but the last three create something. */
export type CreateBehaviour =
  | "accepts"
  /** The work is complete with the answer. */
  | "completes"
  /** Creates, and never answers. */
  | "silent"
  /** Creates, and answers after the caller's time-out. */
  | "late"
  /** Creates, and writes its answer twice onto the connection. */
  | "twice"
  /** Creates, and cuts the connection instead of an answer. */
  | "cuts"
  /** Creates; the answer promises more bytes than follow. */
  | "promises-more"
  /** Creates; the answer promises fewer bytes than it has. */
  | "promises-less"
  /** Creates, refuses to go on, and bills it. */
  | "refuses-billed"
  | "refuses"
  /** Proves that nothing was created. */
  | "busy"
  /** Cuts the connection, having created nothing. */
  | "drops"

export type PollBehaviour =
  | "answers"
  | "cuts"
  | "silent"
  | "garbles"
  /** Answers after `LINGER_MS`. */
  | "lingers"

export type CancelBehaviour =
  | "answers"
  /** Stops, and cuts the connection instead of an answer. */
  | "cuts"
  /** Stops, and never answers. */
  | "silent"
  /** Stops, and says that it can't tell. */
  | "unsure"
  /** Goes on, and says that it can't tell. */
  | "ignores"

/** While it is away: it proves that nothing was created, or creates and cuts every connection. */
export type Absence = "refusing" | "cutting"

export const ABSENT_CREATES: Readonly<Record<Absence, CreateBehaviour>> = {
  refusing: "busy",
  cutting: "cuts",
}

/** How the work goes; the poll that tells it comes after as many that say "running". */
export type Course = "completes" | "refuses" | "refuses-billed" | "produces-nothing"

export type OutputBehaviour =
  | "whole"
  | "cuts"
  | "promises-more"
  | "promises-less"
  | "trickles"
  | "crawls"

export interface UpstreamScript {
  create(key: string, call: number): CreateBehaviour
  course(operation: string): CreationCourse
  poll(operation: string, call: number): PollBehaviour
  output(operation: string, call: number): OutputBehaviour
  cancel(operation: string, call: number): CancelBehaviour
}

const CREATES: Readonly<Record<CreateBehaviour, number>> = {
  accepts: 30,
  completes: 10,
  silent: 2,
  late: 3,
  twice: 4,
  cuts: 3,
  "promises-more": 2,
  "promises-less": 2,
  "refuses-billed": 3,
  refuses: 4,
  busy: 5,
  drops: 2,
}

const ENDINGS: Readonly<Record<Course, number>> = {
  completes: 20,
  refuses: 1,
  "refuses-billed": 1,
  "produces-nothing": 1,
}

/** Of pictures that belong together, one of which may be of no use. */
const FLAWS: Readonly<Record<Flaw | "none", number>> = { none: 3, unreadable: 1, unfetchable: 0 }

const POLLS: Readonly<Record<Exclude<PollBehaviour, "lingers">, number>> = {
  answers: 8,
  cuts: 1,
  silent: 1,
  garbles: 1,
}

const OUTPUTS: Readonly<Record<Exclude<OutputBehaviour, "crawls">, number>> = {
  whole: 8,
  cuts: 1,
  "promises-more": 1,
  "promises-less": 1,
  trickles: 1,
}

const CANCELS: Readonly<Record<CancelBehaviour, number>> = {
  answers: 6,
  cuts: 1,
  silent: 1,
  unsure: 2,
  ignores: 1,
}

/** Nothing goes wrong, and each piece of work takes this long. */
export function createSteadyScript(workMs: number): UpstreamScript {
  return {
    create: () => "accepts",
    course: () => ({ ending: "completes", pollsBefore: 0, workMs }),
    poll: () => "answers",
    output: () => "whole",
    cancel: () => "answers",
  }
}

/** Calls that may go wrong; the ones behind them go well. */
const BAD_CALLS = 2

export function createUpstreamScript(seed: string): UpstreamScript {
  return {
    create: (key, call) =>
      call > BAD_CALLS ? "accepts" : pickByText(`${seed}:create:${key}:${call}`, CREATES),
    course: (operation) => ({
      ending: pickByText(`${seed}:course:${operation}`, ENDINGS),
      flaw: toFlaw(pickByText(`${seed}:flaw:${operation}`, FLAWS)),
      pollsBefore: Number(pickByText(`${seed}:polls:${operation}`, { "0": 3, "1": 2, "3": 1 })),
    }),
    poll: (operation, call) =>
      call > BAD_CALLS ? "answers" : pickByText(`${seed}:poll:${operation}:${call}`, POLLS),
    output: (operation, call) =>
      call > BAD_CALLS ? "whole" : pickByText(`${seed}:output:${operation}:${call}`, OUTPUTS),
    cancel: (operation, call) =>
      call > BAD_CALLS ? "answers" : pickByText(`${seed}:cancel:${operation}:${call}`, CANCELS),
  }
}

function toFlaw(name: Flaw | "none"): Flaw | null {
  return name === "none" ? null : name
}
