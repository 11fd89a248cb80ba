/** What moving house asks of the database. */
import type { MoveStorage } from "@safelight/core"
import {
  fromMoveRecord,
  toBelongings,
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
        const [inputs, uses, epochs] = await Promise.all([
          find<InputsTable>(moves.findInputs, { task }),
          find<IdempotencyTable>(moves.findIdempotency, { task }),
          find<LinkEpochsTable>(moves.findLinkEpochs, { task }),
        ])
        return toBelongings({ inputs, uses, epochs })
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
