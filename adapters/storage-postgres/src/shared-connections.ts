/**
 * The connections that many callers share: a few, opened when they are needed, each carrying many
 * queries at once, asked in turn.
 */
import type { Connection } from "./connection.ts"
import { DEFAULTS } from "./defaults.ts"
import { closed, toFault, toSafelightError } from "./sql-error.ts"

export interface SharedConnections {
  /**
   * What `run` gives on one of them; up to `mostTries` times, where a connection was lost. Rejects with
   * a `SafelightError`.
   */
  readonly ask: <Result>(
    run: (connection: Connection) => Promise<Result>,
    mostTries: number,
  ) => Promise<Result>
  readonly close: () => void
}

export function createSharedConnections(open: () => Promise<Connection>): SharedConnections {
  const opened: (Promise<Connection> | undefined)[] = []
  let next = 0
  let isClosed = false

  async function take(): Promise<Connection> {
    if (isClosed) throw closed()
    const place = (next = (next + 1) % DEFAULTS.readConnections)
    const there = await opened[place]?.catch(() => undefined)
    if (there?.isOpen() === true) return there
    return (opened[place] = open())
  }

  return {
    async ask(run, mostTries) {
      for (let tries = 1; ; tries += 1) {
        try {
          return await run(await take())
        } catch (error) {
          const isOver = tries >= mostTries || isClosed
          if (isOver || toFault(error) !== "lost") throw toSafelightError(error)
        }
      }
    },
    close() {
      isClosed = true
      for (const opening of opened) {
        void opening?.then(
          (connection) => connection.destroy(),
          () => undefined,
        )
      }
    },
  }
}
