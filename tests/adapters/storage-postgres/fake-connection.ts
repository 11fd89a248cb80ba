/** A connection without a server, and errors as a server's are. */
import type { Connection } from "../../../adapters/storage-postgres/src/connection.ts"

export interface FakeConnection extends Connection {
  isDestroyed(): boolean
}

/** Answers every query with no rows, or as `answers` says; ends where it is destroyed. */
export function createFakeConnection(
  answers: Partial<Pick<Connection, "execute" | "run">> = {},
): FakeConnection {
  const ended = Promise.withResolvers<void>()
  let isOpen = true
  return {
    run: async () => [],
    runStep: async () => [],
    execute: async () => undefined,
    ...answers,
    isOpen: () => isOpen,
    isDestroyed: () => !isOpen,
    destroy() {
      isOpen = false
      ended.resolve()
    },
    async end() {
      isOpen = false
      ended.resolve()
    },
    onEnd: (listener) => void ended.promise.then(listener),
    onNotification() {},
  }
}

/** What a server answers with a SQLSTATE. */
export function serverError(code: string): Error {
  return Object.assign(new Error(`SQLSTATE ${code}`), { code, severity: "ERROR" })
}
