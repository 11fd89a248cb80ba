/**
 * What goes on in a round, as one count that every answer, purchase and ending raises: a fault
 * waits for its moment by it, and never for a time. A failure of the round ends every wait.
 */
export interface Activity {
  /** How much has happened so far. */
  count(): number
  note(): void
  /** Resolves when the condition holds; it is looked at whenever something happened. */
  until(condition: () => boolean): Promise<void>
  /** Resolves when this much more has happened. */
  more(count: number): Promise<void>
  /** Rejects every wait, present and later. */
  fail(error: Error): void
}

interface Waiting {
  readonly condition: () => boolean
  readonly resolve: () => void
  readonly reject: (error: Error) => void
}

export function createActivity(): Activity {
  const waiting = new Set<Waiting>()
  let count = 0
  let failure: Error | undefined

  function until(condition: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      if (failure !== undefined) reject(failure)
      else if (condition()) resolve()
      else waiting.add({ condition, resolve, reject })
    })
  }

  return {
    count: () => count,
    note() {
      count += 1
      for (const each of waiting) {
        if (!each.condition()) continue
        waiting.delete(each)
        each.resolve()
      }
    },
    until,
    more(more) {
      const goal = count + more
      return until(() => count >= goal)
    },
    fail(error) {
      failure ??= error
      for (const { reject } of waiting) reject(failure)
      waiting.clear()
    },
  }
}
