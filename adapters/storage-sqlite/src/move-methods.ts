/** What moving house asks of the database, written through the same writer as everything else. */
import type { Belongings, MoveStorage } from "@safelight/core"
import {
  fromMoveRecord,
  toBelongings,
  type IdempotencyTable,
  type InputsTable,
  type LinkEpochsTable,
  type MovesTable,
  type StoreStatements,
} from "@safelight/store"
import { createEncoder, type Step } from "./encode-change.ts"
import type { Reader } from "./reader.ts"
import type { Writer } from "./writer.ts"

export function createMoveMethods(
  writer: Writer,
  reader: Reader,
  { admission, moves }: StoreStatements,
): MoveStorage {
  const { plain } = createEncoder(writer.toNumber)

  function readBelongings(task: string): Belongings {
    return toBelongings({
      inputs: reader.all<InputsTable>(moves.findInputs, { task }),
      uses: reader.all<IdempotencyTable>(moves.findIdempotency, { task }),
      epochs: reader.all<LinkEpochsTable>(moves.findLinkEpochs, { task }),
    })
  }

  async function write(step: Step): Promise<void> {
    await writer.write(plain([step]))
  }

  return {
    async listMoves() {
      return reader.all<MovesTable>(moves.list, {}).map(fromMoveRecord)
    },
    setMove: ({ id, state, at }) => write({ statement: moves.set, values: { id, state, at } }),
    dropMove: (id) => write({ statement: moves.drop, values: { id } }),
    readBelongings: async (task) => reader.inTransaction(() => readBelongings(task)),
    async restoreIdempotency({ account, task, use: { key, fingerprint, usedAt } }) {
      const values = { account, task, key, fingerprint, used_at: usedAt }
      await write({ statement: moves.restoreIdempotency, values })
      const found = { account, key }
      const [known] = reader.all<IdempotencyTable>(admission.findIdempotency, found)
      return known?.task === task
    },
    async restoreLinkEpoch({ scope, epoch }) {
      if (scope.kind === "account") {
        const values = { account: scope.account, epoch }
        await write({ statement: moves.restoreAccountEpoch, values })
      } else {
        const values = { task: scope.task, key: scope.key, epoch }
        await write({ statement: moves.restoreArtifactEpoch, values })
      }
    },
  }
}
