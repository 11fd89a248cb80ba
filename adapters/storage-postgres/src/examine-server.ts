/**
 * What is found out of the way to a server before it is used, over connections that end then: what a pooler between
 * keeps, whether NOTIFY is heard, and what to warn of.
 */
import { SILENT_LOG, type Log } from "@safelight/core"
import { DatabaseError, toFault } from "@safelight/store"
import { createOpener, type PostgresConnection } from "./connection.ts"
import { canHear, withFoundKeeping } from "./find-keeping.ts"
import type { Keeping } from "./keeping.ts"
import { warnOfServer } from "./server-warnings.ts"
import { invalid } from "./session-settings.ts"

/** Where notifications are heard: over a connection as all others are, at the address given for that, or not at all. */
export type Hearing = "here" | "apart" | "nowhere"

export interface Found {
  readonly keeping: Keeping
  readonly hearing: Hearing
}

export interface ExamineServerOptions {
  readonly url: string
  readonly listenUrl?: string
  readonly log?: Log
}

/** Rejects with `invalid-configuration` where the storage can't work so, or `listenUrl` hears nothing. */
export async function examineServer(options: ExamineServerOptions): Promise<Found> {
  const { url, log = SILENT_LOG } = options
  return withFoundKeeping(url, async (keeping, one, other) => {
    await warnOfServer(one, log)
    return { keeping, hearing: await findHearing(options, keeping, one, other) }
  })
}

async function findHearing(
  { listenUrl }: ExamineServerOptions,
  { sessions }: Keeping,
  one: PostgresConnection,
  other: PostgresConnection,
): Promise<Hearing> {
  if (listenUrl !== undefined) {
    await assertHearing(listenUrl, one)
    return "apart"
  }
  if (!sessions) return "nowhere"
  try {
    return (await canHear(other, one)) ? "here" : "nowhere"
  } catch (error) {
    // What speaks the protocol and is not PostgreSQL may know no LISTEN.
    if (["refused", "outdated"].includes(toFault(error))) return "nowhere"
    throw error
  }
}

async function assertHearing(listenUrl: string, sender: PostgresConnection): Promise<void> {
  const listener = await openListener(listenUrl)().catch((error: unknown) => {
    const message = `the address to listen at: ${(error as Error).message}`
    throw new DatabaseError({ fault: "unopened", message, cause: error })
  })
  try {
    if (await canHear(listener, sender)) return
  } finally {
    await listener.end()
  }
  throw invalid(
    "nothing is heard at the address to listen at: it has to name the same database, past any pooler that works by transaction",
  )
}

/** It runs LISTEN alone, which needs no settings. */
const LISTENER: Keeping = { sessions: true, names: false, settings: false }

export function openListener(listenUrl: string): () => Promise<PostgresConnection> {
  return createOpener(listenUrl, LISTENER)("listening")
}
