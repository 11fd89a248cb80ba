/** What moving house asks of the database. */
import type { MoveStorage } from "@safelight/core"
import {
  fromIdempotencyRecord,
  fromInputRecord,
  fromLinkEpochRecord,
  fromMoveRecord,
  type IdempotencyTable,
  type InputsTable,
  type LinkEpochsTable,
  type MovesTable,
  type StoreStatements,
} from "@safelight/store"
import { ONE_SNAPSHOT } from "./scan.ts"
import type { Sessions } from "./sessions.ts"

export function createMoveMethods(
  sessions: Sessions,
  { admission, moves }: StoreStatements,
): MoveStorage {
  return {
    async listMoves() {
      return (await sessions.read<MovesTable>(moves.list, {})).map(fromMoveRecord)
    },
    async setMove({ id, state, at }) {
      await sessions.change(moves.set, { id, state, at })
    },
    async dropMove(id) {
      await sessions.change(moves.drop, { id })
    },
    readBelongings: (task) =>
      sessions.transact(ONE_SNAPSHOT, async ({ find }) => {
        const inputs = await find<InputsTable>(moves.findInputs, { task })
        const uses = await find<IdempotencyTable>(moves.findIdempotency, { task })
        const epochs = await find<LinkEpochsTable>(moves.findLinkEpochs, { task })
        return {
          inputs: inputs.map(fromInputRecord),
          idempotency: uses.map(fromIdempotencyRecord),
          linkEpochs: epochs.map(fromLinkEpochRecord),
        }
      }),
    async restoreIdempotency({ account, task, use: { key, fingerprint, usedAt } }) {
      const values = { account, task, key, fingerprint, used_at: usedAt }
      await sessions.change(moves.restoreIdempotency, values)
      const found = { account, key }
      const [known] = await sessions.read<IdempotencyTable>(admission.findIdempotency, found)
      return known?.task === task
    },
    async restoreLinkEpoch({ scope, epoch }) {
      if (scope.kind === "account") {
        await sessions.change(moves.restoreAccountEpoch, { account: scope.account, epoch })
      } else {
        const { task, key } = scope
        await sessions.change(moves.restoreArtifactEpoch, { task, key, epoch })
      }
    },
  }
}
