/**
 * What an administrator, another program or a bug does to a PostgreSQL under load, over connections
 * of its own that no fault touches: sessions ended, rows locked and forgotten, every connection
 * taken, transactions failed on purpose, locks taken in the opposite order.
 */
import { Client } from "pg"

export interface DatabaseFaults extends AsyncDisposable {
  /** Ends every other session of the database; resolves to how many. */
  terminate(): Promise<number>
  /** Holds the rows of the newest tasks in a transaction that does nothing; returns its release. */
  holdRows(tasks: number): Promise<() => Promise<void>>
  /** Takes every connection that is left, or ends the others first; returns their release. */
  takeConnections(): Promise<() => Promise<void>>
  /** Fails writes by chance, in `percent` of them, as serialization failures and deadlocks do. */
  failWrites(percent: number): Promise<() => Promise<void>>
  /** Locks rows of the newest tasks from the newest on, one by one; resolves to whether it fell. */
  lockBackwards(tasks: number): Promise<"held" | "deadlock">
}

const DEADLOCK = "40P01"

export async function openDatabaseFaults(url: string): Promise<DatabaseFaults> {
  const admin = await dial(url)

  async function newestTasks(count: number): Promise<Buffer[]> {
    const { rows } = await admin.query<{ task: Buffer }>(
      "select task from tasks order by task desc limit $1",
      [count],
    )
    return rows.map(({ task }) => task)
  }

  async function terminate(): Promise<number> {
    const { rowCount } = await admin.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`,
    )
    return rowCount ?? 0
  }

  return {
    terminate,
    async holdRows(tasks) {
      const holder = await dial(url)
      await holder.query("begin")
      await holder.query(
        "select 1 from tasks where task = any($1) order by task for update skip locked",
        [await newestTasks(tasks)],
      )
      return () => holder.end()
    },
    async takeConnections() {
      const taken: Client[] = []
      await terminate()
      for (;;) {
        try {
          taken.push(await dial(url))
        } catch (error) {
          if (!isState(error, "53300")) throw error
          break
        }
      }
      return async () => {
        await Promise.all(taken.map((client) => client.end()))
      }
    },
    async failWrites(percent) {
      await admin.query(toTrigger(percent))
      return async () => {
        await admin.query("drop trigger if exists fault on events")
      }
    },
    async lockBackwards(tasks) {
      const locker = await dial(url)
      try {
        await locker.query("begin")
        for (const task of await newestTasks(tasks)) {
          await locker.query("select 1 from tasks where task = $1 for update", [task])
          // Slow enough for a node to come the other way.
          await locker.query("select pg_sleep(0.005)")
        }
        await locker.query("commit")
        return "held"
      } catch (error) {
        if (!isState(error, DEADLOCK)) throw error
        return "deadlock"
      } finally {
        await locker.end()
      }
    },
    [Symbol.asyncDispose]: () => admin.end(),
  }
}

/** A database of its own for a round; resolves to its URL. */
export async function createDatabase(adminUrl: string, name: string): Promise<string> {
  const admin = await dial(adminUrl)
  try {
    await admin.query(`drop database if exists ${name} with (force)`)
    await admin.query(`create database ${name}`)
  } finally {
    await admin.end()
  }
  const url = new URL(adminUrl)
  url.pathname = `/${name}`
  return url.href
}

async function dial(url: string): Promise<Client> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 10_000 })
  // The server may end it; what it was asked then rejects, and that is heard.
  client.on("error", () => {})
  await client.connect()
  return client
}

function isState(error: unknown, state: string): boolean {
  return error instanceof Error && "code" in error && error.code === state
}

/** Half of them serialization failures, half deadlocks, both as the server itself words them. */
function toTrigger(percent: number): string {
  return `create or replace function fault() returns trigger language plpgsql as $$
    begin
      if random() * 100 < ${percent} then
        raise exception 'could not serialize access'
          using errcode = case when random() < 0.5 then '40001' else '${DEADLOCK}' end;
      end if;
      return null;
    end $$;
    create or replace trigger fault before insert on events for each statement
      execute function fault();`
}
