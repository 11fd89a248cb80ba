/** The contract, each behaviour on a database that was migrated once and has been emptied since. */
import { createPostgresStorage } from "@safelight/storage-postgres"
import { describeStorage } from "@safelight/testkit"
import { createContractFixture } from "./contract-fixture.ts"

describeStorage("PostgreSQL", () => createContractFixture((url) => createPostgresStorage({ url })))
