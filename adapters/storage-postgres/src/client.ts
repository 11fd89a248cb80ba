/** The client of `pg`, with what its options don't reach. */
import { Client, type ClientConfig } from "pg"
import { DEFAULTS } from "./defaults.ts"
import { toBareAddress, toServerAddress } from "./server-address.ts"
import { invalid, TIMEOUTS, type Settings } from "./session-settings.ts"
import { toUnopened } from "./sql-error.ts"

export interface ClientOptions extends ClientConfig {
  readonly url: string
  /** Sent with the connection; undefined: it brings none, nor those that the URL names. */
  readonly settings: Settings | undefined
}

export function createClient({ url, settings, ...config }: ClientOptions): Client {
  const address =
    settings === undefined
      ? { connectionString: toBareAddress(url, TIMEOUTS) }
      : toServerAddress(url, settings)
  const client = new Client({
    ...config,
    ...address,
    connectionTimeoutMillis: DEFAULTS.connectTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: DEFAULTS.keepAliveMs,
  })
  // Otherwise PGOPTIONS would be.
  if (settings === undefined) toInternals(client).connectionParameters.options = undefined
  return client
}

/** Connects for the time of `use`. Rejects as connecting and `use` do; a transaction that is left open is undone. */
export async function withClient<Result>(
  options: ClientOptions,
  use: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = createClient(options)
  // A connection that is lost fails what waits for it; an event without a listener would end the process.
  client.on("error", () => undefined)
  await connectClient(client)
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}

/** Rejects with a `DatabaseError` of fault `unopened`. Only `pg` notices if a password is asked for and none was given. */
export async function connectClient(client: Client): Promise<void> {
  let isMissing = false
  client.connection.once("authenticationSASL", () => {
    isMissing = (client.password ?? "") === ""
  })
  try {
    await client.connect()
  } catch (error) {
    // The server would wait for the rest of the exchange, and this process for the server.
    client.connection.stream.destroy()
    if (!isMissing) throw toUnopened(error)
    const message = "the server asks for a password, and neither the URL nor PGPASSWORD has one"
    throw invalid(message)
  }
}

/** Of the session that the server said it had begun; poolers make the number up. */
export function readProcessId(client: Client): number | null {
  return toInternals(client).processID
}

interface Internals {
  readonly connectionParameters: { options: string | undefined }
  readonly processID: number | null
}

function toInternals(client: Client): Internals {
  return client as unknown as Internals
}
