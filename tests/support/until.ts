/** Waiting for what only looking tells. A wait for what never comes is ended by the run. */
import { setTimeout as delay } from "node:timers/promises"

/** Resolves to the first answer that fits, asked for every few milliseconds: by default, to one that holds. */
export async function until<Answer>(
  ask: () => Promise<Answer> | Answer,
  fits: (answer: Answer) => boolean = Boolean,
): Promise<Answer> {
  for (;;) {
    const answer = await ask()
    if (fits(answer)) return answer
    await delay(5)
  }
}
