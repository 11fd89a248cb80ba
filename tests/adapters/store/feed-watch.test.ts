/** What a process that only appends knows of feeds: it tells the others of each that it has heard of. */
import assert from "node:assert/strict"
import { join } from "node:path"
import { test } from "node:test"
import { setImmediate } from "node:timers/promises"
import { createStorage, type Driver } from "@safelight/store"
import { submitSample } from "@safelight/testkit"
import { createTemporaryFolder } from "../../support/temporary-folder.ts"
import { until } from "../../support/until.ts"
import { createSmallDriver } from "./small-driver.ts"

const { account } = submitSample({ id: "t" }).append.changes.task

test("a feed that is heard of while older ones are read is not forgotten", async () => {
  await using folder = await createTemporaryFolder()
  const driver = await createSmallDriver(join(folder.path, "small.db"))
  const read = Promise.withResolvers<void>()
  const goOn = Promise.withResolvers<void>()
  let hear: ((payload: string) => void) | undefined
  const told: string[] = []
  const held: Driver = {
    ...driver,
    async read(statement, values) {
      const rows = await driver.read(statement, values)
      if (!statement.sql.includes('from "feeds"')) return rows
      read.resolve()
      await goOn.promise
      return rows
    },
    notifications: {
      notify: async (payload) => void told.push(payload),
      async listen(onPayload) {
        hear = onPayload
        return { ended: new Promise(() => {}), end() {} }
      },
    },
  }
  const storage = createStorage(held)
  try {
    await storage.append(submitSample({ id: "first" }).append)
    await read.promise
    await until(() => hear !== undefined)
    hear?.(`another\nwatched\n${JSON.stringify([account])}`)
    goOn.resolve()
    await setImmediate()
    await storage.append(submitSample({ id: "second" }).append)
    await until(() => told.some((payload) => payload.includes("fed")))
    assert.ok(told.at(-1)?.endsWith(`\nfed\n${JSON.stringify([account])}`))
  } finally {
    await storage.close()
  }
})

test("others are told of what one of them watches, and of no other feed", async () => {
  await using folder = await createTemporaryFolder()
  const driver = await createSmallDriver(join(folder.path, "small.db"))
  const told: string[] = []
  const listening = Promise.withResolvers<(payload: string) => void>()
  const storage = createStorage({
    ...driver,
    notifications: {
      notify: async (payload) => void told.push(payload),
      async listen(onPayload) {
        listening.resolve(onPayload)
        return { ended: new Promise(() => {}), end() {} }
      },
    },
  })
  const append = (id: string, of: string) =>
    storage.append(submitSample({ id, submitted: { account: of } }).append)
  try {
    for (const each of ["watched", "kept"]) await storage.openFeed({ account: each, until: 50 })
    await until(() => told.length > 0)
    await append("first", "kept")
    const hear = await listening.promise
    hear(`another\nwatched\n["watched"]`)
    told.length = 0
    await append("of-nobody", "kept")
    await append("of-one", "watched")
    await until(() => told.length > 0)
    assert.deepEqual(
      told.map((payload) => payload.split("\n").slice(1)),
      [["fed", '["watched"]']],
    )
    told.length = 0
    storage.noteWatched?.(["kept"])
    await until(() => told.length > 0)
    assert.deepEqual(told[0]?.split("\n").slice(1), ["watched", '["kept"]'])
  } finally {
    await storage.close()
  }
})

test("whoever listens is told whether this process added to the feed", async () => {
  await using folder = await createTemporaryFolder()
  const driver = await createSmallDriver(join(folder.path, "small.db"))
  let hear: ((payload: string) => void) | undefined
  const storage = createStorage({
    ...driver,
    notifications: {
      async notify() {},
      async listen(onPayload) {
        hear = onPayload
        return { ended: new Promise(() => {}), end() {} }
      },
    },
  })
  const told: (readonly [account: string, isOwn: boolean])[] = []
  try {
    await storage.openFeed({ account, until: 50 })
    storage.onFed((...each) => told.push(each))
    await until(() => hear !== undefined)
    await setImmediate()
    told.length = 0
    hear?.(`another\nfed\n${JSON.stringify([account])}`)
    await storage.append(submitSample({ id: "own" }).append)
    assert.deepEqual(told, [
      [account, false],
      [account, true],
    ])
  } finally {
    await storage.close()
  }
})

test("whoever listens is told of every feed once a lost connection is there again", async () => {
  await using folder = await createTemporaryFolder()
  const driver = await createSmallDriver(join(folder.path, "small.db"))
  const connections: PromiseWithResolvers<void>[] = []
  const storage = createStorage({
    ...driver,
    notifications: {
      async notify() {},
      async listen() {
        const connection = Promise.withResolvers<void>()
        connections.push(connection)
        return { ended: connection.promise, end: connection.resolve }
      },
    },
  })
  const told: string[] = []
  try {
    await storage.openFeed({ account, until: 50 })
    const stop = storage.onFed((each) => told.push(each))
    await until(() => connections.length === 1)
    await setImmediate()
    told.length = 0
    // What others add meanwhile, or add in place of what the database has lost, is not heard.
    connections[0]?.resolve()
    await until(() => told.length > 0)
    assert.deepEqual([connections.length, told], [2, [account]])
    stop()
  } finally {
    await storage.close()
  }
})

test("a process that finds a feed tells its own listeners what it adds to it", async () => {
  await using folder = await createTemporaryFolder()
  const open = async () => createStorage(await createSmallDriver(join(folder.path, "small.db")))
  const first = await open()
  await first.openFeed({ account, until: 5_000 })
  await first.close()
  const storage = await open()
  try {
    const fed: string[] = []
    storage.onFed((name) => fed.push(name))
    await storage.openFeed({ account, until: 1_000 })
    await storage.append(submitSample({ id: "t" }).append)
    assert.deepEqual(fed, [account])
  } finally {
    await storage.close()
  }
})
