/**
 * Finds out what the way to the server keeps. Where nothing is known for certain the answer is that it keeps nothing:
 * that is slower and never wrong.
 */
import { randomBytes } from "node:crypto"
import { createOpener, type PostgresConnection } from "./connection.ts"
import { DEFAULTS } from "./defaults.ts"
import { KEEPS_ALL, type Keeping } from "./keeping.ts"
import { parseGivenSettings } from "./server-address.ts"
import { assertIsolation, invalid } from "./session-settings.ts"
import { findMisconfigured, PROTOCOL_VIOLATION, readState } from "./sql-error.ts"

/**
 * Calls `use` with two connections that are closed then, and with what they keep. Rejects with `invalid-configuration`
 * where it is too little to work with, and as opening a connection does.
 */
export async function withFoundKeeping<Result>(
  url: string,
  use: (keeping: Keeping, one: PostgresConnection, other: PostgresConnection) => Promise<Result>,
): Promise<Result> {
  const first = await openFirst(url)
  const { one } = first
  try {
    const other = await createOpener(url, first.keeping)("starting", "batches")()
    try {
      const keeping = await compare(first.keeping, one, other)
      if (!keeping.settings) await assertUsable(url, one)
      return await use(keeping, one, other)
    } finally {
      await other.end()
    }
  } finally {
    await one.end()
  }
}

/** The same by one connection if it has a session that the server itself has named, and so has no pooler before it. */
export async function findKeeping(url: string): Promise<Keeping> {
  const { keeping, one } = await openFirst(url)
  try {
    if (keeping.settings && (await readSession(one)) === one.processId) return KEEPS_ALL
  } finally {
    await one.end()
  }
  return withFoundKeeping(url, async (found) => found)
}

interface First {
  readonly one: PostgresConnection
  /** Its `settings` are found; the rest is assumed. */
  readonly keeping: Keeping
}

async function openFirst(url: string): Promise<First> {
  const open = async (keeping: Keeping): Promise<First> => ({
    one: await createOpener(url, keeping)("starting", "batches")(),
    keeping,
  })
  try {
    return await open(KEEPS_ALL)
  } catch (error) {
    const isForSettings = readState(error) === PROTOCOL_VIOLATION
    // They were dropped without a word.
    const areDropped = findMisconfigured(error) !== undefined
    if (!isForSettings && !areDropped) throw error
    return open({ ...KEEPS_ALL, settings: false })
  }
}

async function compare(
  keeping: Keeping,
  one: PostgresConnection,
  other: PostgresConnection,
): Promise<Keeping> {
  if (await haveOwnSessions(one, other)) return { ...keeping, names: true }
  return { sessions: false, names: await keepsNames(one), settings: false }
}

/** Some poolers give out one session after another. */
const ROUNDS = 3

/** Whether each keeps the session that it had, while another one holds a transaction and while none does. */
export async function haveOwnSessions(
  one: PostgresConnection,
  other: PostgresConnection,
): Promise<boolean> {
  for (let round = 0; round < ROUNDS; round += 1) {
    const first = await readSession(one)
    await other.execute("begin").catch(rejectStatements)
    const others = await readSession(other)
    // Where there is one session alone, nobody else may be asked meanwhile.
    const isShared = first === others
    const later = isShared ? [] : [await readSession(one), await readSession(one)]
    await other.execute("commit")
    if (isShared || later.some((session) => session !== first)) return false
  }
  return true
}

function rejectStatements(error: unknown): never {
  if (readState(error) !== PROTOCOL_VIOLATION) throw error
  throw invalid(
    "a pooler between refuses transactions: it works by statement; set it to pool by transaction or by session",
  )
}

async function readSession({ run }: PostgresConnection): Promise<unknown> {
  const [row] = await run({ text: "select pg_backend_pid()", values: [] })
  return row?.[0]
}

/**
 * Whether a pooler whose connections share sessions keeps names: if it does, it gives the server names of its own,
 * since two connections may use the same one for different statements.
 */
export async function keepsNames({
  execute,
  run,
}: Pick<PostgresConnection, "execute" | "run">): Promise<boolean> {
  const mark = `probe ${randomBytes(8).toString("hex")}`
  const text = `select name from pg_prepared_statements where position('${mark}' in statement) > 0`
  // In one session.
  await execute("begin")
  const rows = await run({ name: mark, text, values: [] })
  const isPassedOn = rows.some(([name]) => name === mark)
  if (isPassedOn) await execute(`deallocate "${mark}"`)
  await execute("commit")
  return rows.length > 0 && !isPassedOn
}

async function assertUsable(url: string, { run }: PostgresConnection): Promise<void> {
  if (parseGivenSettings(url) === undefined) {
    throw invalid(
      "a pooler between drops what is sent with a connection, and the URL's `options` hold something that is not -c name=value",
    )
  }
  await assertIsolation(run)
}

/** Whether `listener` hears what `sender` tells: both have to be in one database, and the former in a session of its own. */
export async function canHear(
  listener: PostgresConnection,
  sender: PostgresConnection,
): Promise<boolean> {
  const channel = `safelight_probe_${randomBytes(8).toString("hex")}`
  const heard = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => heard.resolve(false), DEFAULTS.connectTimeoutMs)
  listener.onNotification(() => heard.resolve(true))
  listener.onEnd(() => heard.resolve(false))
  try {
    await listener.execute(`listen ${channel}`)
    await sender.run({ text: "select pg_notify($1, '')", values: [channel] })
    return await heard.promise
  } finally {
    clearTimeout(timer)
  }
}
