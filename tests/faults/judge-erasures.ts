/**
 * The oracle's view of erasure: once it was answered, nothing that a person or a provider wrote for the task is
 * anywhere. The secret word of a request stands in its prompt, in the addresses of its videos and in what a
 * provider says of it, and in nothing else.
 */
import { toSecretWord } from "./requests.ts"
import { isForgotten, type RoundFaults } from "./round-faults.ts"

export interface ToldErasure {
  readonly task: string
  readonly request: number
  readonly askedAt: number
  /** When it was answered; Infinity where it was not. */
  readonly at: number
  /** Whether the task had ended before. */
  readonly hadEnded: boolean
}

/** A text of the round, and where it stands. */
export interface FoundText {
  readonly place: string
  readonly text: string
}

export interface Erasures {
  readonly erasures: readonly ToldErasure[]
  readonly texts: readonly FoundText[]
  /** Tasks of which something stands beside the log: inputs, labels, idempotency keys. */
  readonly besides: ReadonlyMap<string, readonly string[]>
  readonly faults: RoundFaults
  readonly fail: (words: string) => void
}

export function judgeErasures({ besides, erasures, fail, faults, texts }: Erasures): void {
  // What was asked for in a forgotten time, or never answered, may be as it was.
  const kept = erasures.filter(({ at }) => at !== Infinity && !isForgotten(faults, at))
  for (const { request, task } of kept) {
    for (const table of besides.get(task) ?? [])
      fail(`${table} has a row of ${task}, which was erased`)
    const word = toSecretWord(request)
    for (const { place, text } of texts) {
      if (text.includes(word))
        fail(`what was written for ${task} was erased, and stands in ${place}`)
    }
  }
}
