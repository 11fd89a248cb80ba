/** The contract behind a PgBouncer that works by transaction, where no session is anybody's own. */
import { after, test } from "node:test"
import { createPostgresStorage } from "@safelight/storage-postgres"
import { describeStorage } from "@safelight/testkit"
import { skipWithoutPgbouncer, startPgbouncer, type Pgbouncer } from "../../../support/pgbouncer.ts"
import { borrowTestDatabase, findTestServer } from "../../../support/test-database.ts"
import { migrate } from "../open.ts"

const skip = skipWithoutPgbouncer()

/** For all behaviours: it has a pool for each of their databases. */
let started: Promise<Pgbouncer> | undefined

if (skip === false) {
  describeStorage("PostgreSQL through PgBouncer", async () => {
    started ??= findTestServer().then((url) => startPgbouncer(url))
    const pooler = await started
    const database = await borrowTestDatabase(migrate)
    const url = pooler.through(database.url)
    let storage = await createPostgresStorage({ url })
    return {
      get storage() {
        return storage
      },
      async reopen() {
        await storage.close()
        storage = await createPostgresStorage({ url })
        return storage
      },
      async cleanUp() {
        await storage.close()
        await database[Symbol.asyncDispose]()
      },
    }
  })
} else {
  test("PostgreSQL through PgBouncer is a storage", { skip }, () => undefined)
}

after(async () => (await started)?.[Symbol.asyncDispose]())
