/** Where the database stands, told from its file, and the record of it. */
import assert from "node:assert/strict"
import { SafelightError, type DeploymentStorage } from "@safelight/core"
import {
  fromDeploymentRecord,
  toDeploymentValues,
  type DeploymentSecretsTable,
  type DeploymentTable,
  type StoreStatements,
} from "@safelight/store"
import { createEncoder } from "./encode-change.ts"
import { readFileOrigins, type FileOrigins } from "./origin.ts"
import type { Reader } from "./reader.ts"
import type { Writer } from "./writer.ts"

export interface DeploymentMethodOptions {
  readonly file: string
  readonly writer: Writer
  readonly reader: Reader
  readonly statements: StoreStatements
}

export function createDeploymentMethods(options: DeploymentMethodOptions): DeploymentStorage {
  const { file, reader, writer } = options
  const { deployment } = options.statements
  const { guarded, plain } = createEncoder(writer.toNumber)
  const readRecord = (): DeploymentTable | undefined =>
    reader.all<DeploymentTable>(deployment.find, {})[0]
  const readSecret = (): string | undefined =>
    reader.all<Pick<DeploymentSecretsTable, "secret">>(deployment.findSecret, {})[0]?.secret
  return {
    async readDeployment() {
      return fromDeploymentRecord(readRecord(), readOrigins(file).certain)
    },
    async recordDeployment(request) {
      const values = toDeploymentValues(request, readOrigins(file).whole, readRecord())
      return (await writer.write(guarded([{ statement: deployment.record, values }]))) === true
    },
    async agreeOnSecret(proposed) {
      const made = readSecret()
      if (made !== undefined) return made
      const change = plain([
        { statement: deployment.insertSecret, values: { secret: proposed } },
        { statement: deployment.pruneSecrets, values: {} },
      ])
      await writer.write(change)
      const agreed = readSecret()
      assert.ok(agreed !== undefined, "a secret that was written is there")
      return agreed
    },
  }
}

function readOrigins(file: string): FileOrigins {
  try {
    return readFileOrigins(file)
  } catch (cause) {
    const message = `the database file can't be looked at (${(cause as NodeJS.ErrnoException).code})`
    throw new SafelightError({ code: "storage-unavailable", message, retryable: true, cause })
  }
}
