/**
 * A request of which no byte left: nobody could be reached, or its credentials could not be made. It proves that
 * nothing was created, which any other error leaves open.
 */
import type { NotCreated } from "@safelight/core"
import { unavailable } from "../declaration/unavailable.ts"

export class NotSent extends Error {
  override readonly name = "NotSent"
  /** What it means for a purchase. */
  readonly outcome: NotCreated

  /** The message is for people, and holds no secret. */
  constructor(message: string, outcome: NotCreated, options?: ErrorOptions) {
    super(message, options)
    this.outcome = outcome
  }
}

/** For what buys nothing and may be repeated, whether it was sent or not: rejects with `channel-unavailable`. */
export async function asSent<Answer>(name: string, answer: Promise<Answer>): Promise<Answer> {
  try {
    return await answer
  } catch (error) {
    if (!(error instanceof NotSent)) throw error
    const isAway = error.outcome.reason === "unreachable"
    throw unavailable(`${name} can't be ${isAway ? "reached" : "called"}`, { cause: error })
  }
}
