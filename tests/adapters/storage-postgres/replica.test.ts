/** Reads from a replica: a real standby, which is trusted while it proves itself, and otherwise left alone. */
import assert from "node:assert/strict"
import { once } from "node:events"
import { createServer, type AddressInfo } from "node:net"
import { after, before, describe, it } from "node:test"
import type { Storage } from "@safelight/core"
import { createPostgresStorage, type Answerer } from "@safelight/storage-postgres"
import { submitSample } from "@safelight/testkit"
import { Client } from "pg"
import { startProxy, type TcpProxy } from "../../faults/tcp-proxy.ts"
import { startPostgres, type PostgresServer } from "../../support/postgres-server.ts"
import {
  startStandby,
  startStranger,
  STREAMING_SERVER,
  untilReplayed,
} from "../../support/postgres-standby.ts"
import { execute } from "../../support/test-database.ts"
import { until } from "../../support/until.ts"
import { migrate } from "./open.ts"

let primary: PostgresServer
let standby: PostgresServer
let databases = 0

before(async () => {
  primary = await startPostgres({ settings: STREAMING_SERVER })
  standby = await startStandby(primary, ["max_standby_streaming_delay=0"])
})

after(async () => {
  await standby[Symbol.asyncDispose]()
  await primary[Symbol.asyncDispose]()
})

interface Replicated extends AsyncDisposable {
  readonly storage: Storage
  /** The database's name on both servers. */
  readonly name: string
  /** Who answered each read that the replica may answer; emptied by `ask`. */
  readonly answerers: Answerer[]
  /** `replica in use`, or the reason for which it was left alone. */
  readonly lines: string[]
  /** Lists the tasks of the sample account: their ids, and who answered. */
  ask(): Promise<{ readonly ids: readonly string[]; readonly answerers: readonly Answerer[] }>
}

interface Replicating {
  /** Both without it the file's. */
  readonly servers?: readonly [primary: PostgresServer, standby: PostgresServer]
  /** Without them those of the servers. */
  readonly url?: (name: string) => string
  readonly readUrl?: (name: string) => string
}

async function openReplicated({
  servers: [leader, follower] = [primary, standby],
  url: toUrl = leader.url,
  readUrl = follower.url,
}: Replicating = {}): Promise<Replicated> {
  databases += 1
  const name = `replicated_${databases}`
  await execute(leader.url("postgres"), `create database ${name}`)
  const url = toUrl(name)
  await migrate(url)
  await untilReplayed(leader, follower)
  const answerers: Answerer[] = []
  const lines: string[] = []
  const storage = await createPostgresStorage({
    url,
    readUrl: readUrl(name),
    onRead: (answerer) => void answerers.push(answerer),
    log: {
      error() {},
      info(_, message) {
        if (message === "replica in use") lines.push(message)
      },
      warn({ reason }, message) {
        if (message === "replica left alone") lines.push(String(reason))
      },
    },
  })
  return {
    storage,
    name,
    answerers,
    lines,
    async ask() {
      answerers.length = 0
      const { tasks } = await storage.listTasks({ account: "account", limit: 100 })
      return { ids: tasks.map(({ id }) => id), answerers: [...answerers] }
    },
    async [Symbol.asyncDispose]() {
      await storage.close()
      // A test that fails must not stop the others.
      await execute(standby.url("postgres"), "select pg_wal_replay_resume()")
    },
  }
}

const IN_USE = "replica in use"

const untilInUse = ({ lines }: Replicated) => until(() => lines.at(-1) === IN_USE)

const pause = ({ name }: Replicated) => execute(standby.url(name), "select pg_wal_replay_pause()")

const resume = ({ name }: Replicated) => execute(standby.url(name), "select pg_wal_replay_resume()")

/** The connections over which the standby was examined: new ones after it was left alone. */
const listExaminations = ({ name }: Replicated) =>
  execute(
    standby.url(name),
    `select 1 from pg_stat_activity
    where application_name = 'safelight replica' and state = 'idle' and query like '%replay_lsn%'`,
  )

async function submit({ storage }: Replicated, id: string): Promise<string> {
  const { append } = submitSample({ id })
  await storage.append(append)
  return append.task
}

/** Resolves once the replica answers a list, however far behind it was. */
async function untilAnswered(replicated: Replicated): Promise<void> {
  await until(async () => (await replicated.ask()).answerers[0] === "replica")
}

describe("a replica", () => {
  it("answers lists, usage and scans, and no look-up of a task", async () => {
    await using replicated = await openReplicated()
    const { answerers, storage } = replicated
    const id = await submit(replicated, "a")
    await untilInUse(replicated)
    await untilAnswered(replicated)
    answerers.length = 0
    const period = { from: 0, to: Number.MAX_SAFE_INTEGER }
    await storage.listAllTasks({ limit: 10 })
    await storage.sumCharges({ account: "account", ...period })
    await storage.listCharges({ account: "account", limit: 10, ...period })
    await storage.groupOutcomes({ by: "day", limit: 10, ...period })
    const { streams } = await storage.scan({ after: "", limit: 10 })
    assert.deepEqual(
      streams.map((stream) => stream.id),
      [id],
    )
    assert.deepEqual(
      answerers,
      Array.from({ length: 5 }, () => "replica"),
    )
    answerers.length = 0
    assert.ok(await storage.readTask(id))
    assert.equal((await storage.readEvents(id)).length, 1)
    assert.deepEqual(answerers, [])
  })

  it("is not asked for what it has not replayed yet, by a list or by a scan", async () => {
    await using replicated = await openReplicated()
    const { answerers, ask, lines, storage } = replicated
    const scan = async () => {
      answerers.length = 0
      const { streams } = await storage.scan({ after: "", limit: 10 })
      return { ids: streams.map(({ id }) => id), answerers: [...answerers] }
    }
    await untilInUse(replicated)
    const submitted: string[] = []
    for (const [id, read] of [
      ["a", ask],
      ["b", scan],
    ] as const) {
      await untilAnswered(replicated)
      await pause(replicated)
      submitted.push(await submit(replicated, id))
      const { answerers: by, ids } = await read()
      assert.deepEqual([ids.toSorted(), by], [submitted, ["primary"]])
      await resume(replicated)
    }
    assert.deepEqual(lines, [IN_USE], "a short lag is no news")
  })

  it("that lags is left alone, and used again once it has caught up", async () => {
    await using replicated = await openReplicated()
    const { ask, lines } = replicated
    await untilInUse(replicated)
    await pause(replicated)
    const id = await submit(replicated, "a")
    await until(() => lines.length === 2)
    assert.match(lines[1] ?? "", /^it lags by more than/)
    await until(async () => (await listExaminations(replicated)).length > 0)
    assert.deepEqual(await ask(), { ids: [id], answerers: ["primary"] })
    assert.equal(lines.length, 2)
    await resume(replicated)
    await untilInUse(replicated)
    assert.deepEqual((await ask()).ids, [id])
    await untilAnswered(replicated)
    assert.equal(lines.length, 3)
  })

  it("that is killed is left alone, and used again once it is back", async () => {
    await using replicated = await openReplicated()
    const { ask, lines } = replicated
    const id = await submit(replicated, "a")
    await untilInUse(replicated)
    await untilAnswered(replicated)
    await standby.stop("immediate")
    assert.deepEqual(await ask(), { ids: [id], answerers: ["primary"] })
    await until(() => lines.length === 2)
    assert.deepEqual(await ask(), { ids: [id], answerers: ["primary"] })
    await standby.start()
    await untilAnswered(replicated)
    assert.equal(lines.length, 3)
    assert.equal(lines[2], IN_USE)
  })

  it("that is down at the start prevents nothing", async () => {
    await standby.stop("fast")
    const opening = createPostgresStorage({
      url: primary.url("postgres"),
      readUrl: standby.url("postgres"),
    })
    const storage = await opening.finally(() => standby.start())
    assert.deepEqual((await storage.listTasks({ account: "account", limit: 1 })).tasks, [])
    await storage.close()
  })

  it("that stays away is told of once", async (t) => {
    let tries = 0
    const closing = createServer((socket) => {
      tries += 1
      socket.destroy()
    })
    closing.listen(0, "127.0.0.1")
    await once(closing, "listening")
    t.after(() => closing.close())
    const { port } = closing.address() as AddressInfo
    await using replicated = await openReplicated({
      readUrl: () => `postgres://safelight@127.0.0.1:${port}/postgres`,
    })
    await until(() => tries > 2)
    assert.equal(replicated.lines.length, 1)
    assert.notEqual(replicated.lines[0], IN_USE)
  })

  it("that freezes is left alone, and what it was asked is asked at the primary", async () => {
    await using proxy = await startProxy({ port: standby.port })
    const readUrl = (name: string): string =>
      standby.url(name).replace(`:${standby.port}/`, `:${proxy.port}/`)
    await using replicated = await openReplicated({ readUrl })
    const id = await submit(replicated, "a")
    await untilInUse(replicated)
    await untilAnswered(replicated)
    proxy.accept("silent")
    proxy.freeze()
    assert.deepEqual(await replicated.ask(), { ids: [id], answerers: ["primary"] })
    assert.match(replicated.lines[1] ?? "", /^it did not answer within/)
  })

  it("that was promoted is left alone", async () => {
    await using own = await startStandby(primary)
    await using replicated = await openReplicated({ servers: [primary, own] })
    const { ask, lines } = replicated
    const id = await submit(replicated, "a")
    await untilInUse(replicated)
    await untilAnswered(replicated)
    await execute(own.url("postgres"), "select pg_promote()")
    await until(() => lines.at(-1) !== IN_USE)
    // A server that is being promoted may be slow.
    assert.match(lines.at(-1) ?? "", /^it (is no standby|did not answer)/)
    assert.deepEqual(await ask(), { ids: [id], answerers: ["primary"] })
  })

  it("that has commits which a failover lost is left alone, and one that follows the new primary is used", async () => {
    await using first = await startPostgres({ settings: STREAMING_SERVER })
    await using ahead = await startStandby(first)
    await using promoted = await startStandby(first)
    const leader = { port: first.port }
    const follower = { port: ahead.port }
    await using toLeader = await startProxy(leader)
    await using toFollower = await startProxy(follower)
    await using following = await startStandby({ ...first, port: toLeader.port })
    const behind =
      ({ port }: TcpProxy) =>
      (name: string) =>
        first.url(name).replace(`:${first.port}/`, `:${port}/`)
    await using replicated = await openReplicated({
      servers: [first, ahead],
      url: behind(toLeader),
      readUrl: behind(toFollower),
    })
    const { ask, lines } = replicated
    const kept = await submit(replicated, "a")
    await Promise.all([promoted, following].map((server) => untilReplayed(first, server)))
    await Promise.all([promoted, following].map((server) => server.stop("fast")))
    const lost = await submit(replicated, "b")
    await untilInUse(replicated)
    await untilAnswered(replicated)
    assert.deepEqual((await ask()).ids.toSorted(), [kept, lost].toSorted())
    // The new primary writes less than this: the standby stays ahead of it.
    await execute(first.url("postgres"), "select pg_switch_wal()")
    await untilReplayed(first, ahead)
    await first.stop("immediate")
    await promoted.start()
    await execute(promoted.url("postgres"), "select pg_promote()")
    leader.port = promoted.port
    toLeader.cut()
    const added = await submit(replicated, "c")
    const ids = [kept, added].toSorted()
    const answer = await ask()
    assert.deepEqual([answer.ids.toSorted(), answer.answerers], [ids, ["primary"]])
    await until(() => lines.at(-1) !== IN_USE)
    await following.start()
    follower.port = following.port
    toFollower.cut()
    await untilInUse(replicated)
    await untilAnswered(replicated)
    assert.deepEqual((await ask()).ids.toSorted(), ids)
  })

  it("that is another server's standby, another database or the primary itself is left alone", async () => {
    await using stranger = await startStranger()
    for (const [readUrl, reason] of [
      [() => stranger.url("postgres"), /standby of another server/],
      [() => standby.url("postgres"), /another database/],
      [(name: string) => primary.url(name), /^it is no standby/],
    ] as const) {
      await using replicated = await openReplicated({ readUrl })
      await until(() => replicated.lines.length > 0)
      assert.match(replicated.lines[0] ?? "", reason)
      assert.deepEqual((await replicated.ask()).answerers, ["primary"])
    }
  })

  it("whose replay cancels a read has it answered by the primary", async () => {
    await using replicated = await openReplicated()
    const { name, storage } = replicated
    const id = await submit(replicated, "a")
    await untilInUse(replicated)
    await untilAnswered(replicated)
    // At the replica the scan holds some tables and waits for `inputs`; then the replay needs `tasks`.
    const locking = new Client({ connectionString: primary.url(name) })
    await locking.connect()
    await locking.query("begin; lock table inputs in access exclusive mode")
    await execute(primary.url(name), "checkpoint")
    await untilReplayed(primary, standby)
    replicated.answerers.length = 0
    const scanning = storage.scan({ after: "", limit: 10 })
    const look = (sql: string) =>
      until(async () => (await execute(standby.url(name), sql)).length > 0)
    await look(
      "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    )
    await execute(primary.url(name), "begin; lock table tasks in access exclusive mode; commit")
    await look(
      "select 1 from pg_stat_database_conflicts where datname = current_database() and confl_lock > 0",
    )
    await locking.query("commit")
    await locking.end()
    assert.deepEqual(
      (await scanning).streams.map((stream) => stream.id),
      [id],
    )
    assert.deepEqual(replicated.answerers, ["primary"])
    await untilAnswered(replicated)
    assert.deepEqual(replicated.lines, [IN_USE])
  })
})

describe("the address of a replica", () => {
  it("is refused if it is none, by its name", async () => {
    await assert.rejects(
      createPostgresStorage({ url: primary.url("postgres"), readUrl: "mysql://u:secret@h/x" }),
      {
        code: "invalid-configuration",
        message: "readUrl is not of the form postgres://user@host:port/database",
      },
    )
  })
})
