/**
 * A thread that plays fields of the matrix, one after the other, and answers with what is wrong with
 * each. In threads of their own they take both cores.
 */
import { parentPort } from "node:worker_threads"
import type { ProbePoint } from "@safelight/core"
import { createMediaInspector } from "@safelight/media-inspector"
import { toText, type Combination } from "./combination.ts"
import { LANES } from "./lanes.ts"
import { judge } from "./ledger.ts"
import { play } from "./play.ts"

/** What goes to the thread: a lane holds functions, and is told by its title. */
export interface Field extends Omit<Combination, "lane"> {
  readonly title: string
}

export interface Verdict {
  /** In words, with the field's text; none if the ledger holds. */
  readonly wrong: readonly string[]
  /** The points that were passed. */
  readonly passed: readonly ProbePoint[]
}

const inspector = createMediaInspector()

async function judgeField({ title, ...field }: Field): Promise<Verdict> {
  const lane = LANES.find((each) => each.title === title)
  if (lane === undefined) throw new Error(`${title} is no lane`)
  const combination = { ...field, lane }
  const text = toText(combination)
  try {
    const played = await play(combination, inspector)
    const wrong = await judge(played)
    return { wrong: wrong.map((each) => `${text}: ${each}`), passed: [...played.passed] }
  } catch (error) {
    // What can't be played is a failure of this field, and the others go on.
    const words = error instanceof Error ? error.stack : String(error)
    return { wrong: [`${text}: it could not be played: ${words}`], passed: [] }
  }
}

parentPort?.on("message", (field: Field | "close") => {
  if (field === "close") void inspector.close().then(() => parentPort?.close())
  else void judgeField(field).then((verdict) => parentPort?.postMessage(verdict, []))
})
