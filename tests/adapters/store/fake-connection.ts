/** A connection without a server, and errors as a driver's are. */
import { DatabaseError, type Connection, type Fault } from "@safelight/store"

export interface FakeConnection extends Connection {
  isDestroyed(): boolean
}

/** Answers every question with no rows, or as `answers` says. */
export function createFakeConnection(
  answers: Partial<Pick<Connection, "confirm" | "execute" | "runStep">> = {},
): FakeConnection {
  let isOpen = true
  return {
    runStep: async () => [],
    execute: async () => undefined,
    ...answers,
    isOpen: () => isOpen,
    isDestroyed: () => !isOpen,
    destroy() {
      isOpen = false
    },
  }
}

export function databaseError(fault: Fault): DatabaseError {
  return new DatabaseError({ fault, message: `the database: ${fault}` })
}

export async function reject(fault: Fault): Promise<never> {
  throw databaseError(fault)
}

/** Resolves once `isSo` does to true, asked again and again. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise(setImmediate)
}
