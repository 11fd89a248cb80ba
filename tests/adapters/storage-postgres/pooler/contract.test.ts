/** The contract behind a PgBouncer that works by transaction, where no session is anybody's own. */
import { after, test } from "node:test"
import { createPostgresStorage } from "@safelight/storage-postgres"
import { describeStorage } from "@safelight/testkit"
import { skipWithoutPgbouncer, startPgbouncer, type Pgbouncer } from "../../../support/pgbouncer.ts"
import { findTestServer } from "../../../support/test-database.ts"
import { createContractFixture } from "../contract-fixture.ts"

const skip = skipWithoutPgbouncer()

/** For all behaviours: it has a pool for each of their databases. */
let started: Promise<Pgbouncer> | undefined

if (skip === false) {
  describeStorage("PostgreSQL through PgBouncer", async () => {
    started ??= findTestServer().then((url) => startPgbouncer(url))
    const pooler = await started
    return createContractFixture((url) => createPostgresStorage({ url: pooler.through(url) }))
  })
} else {
  test("PostgreSQL through PgBouncer is a storage", { skip }, () => undefined)
}

after(async () => (await started)?.[Symbol.asyncDispose]())
