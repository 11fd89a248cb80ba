/** Where SQL's snake_case meets what core says of moves and of what belongs to tasks. */
import type { ArtifactLinkEpoch, IdempotencyUse, Move } from "@safelight/core"
import type { IdempotencyTable, LinkEpochsTable, MovesTable } from "./database.ts"

export function fromMoveRecord({ id, state, at }: MovesTable): Move {
  return { id, state: state as Move["state"], at }
}

export function fromIdempotencyRecord(
  record: Pick<IdempotencyTable, "key" | "fingerprint" | "used_at">,
): IdempotencyUse {
  return { key: record.key, fingerprint: record.fingerprint, usedAt: record.used_at }
}

export function fromLinkEpochRecord({
  key,
  epoch,
}: Pick<LinkEpochsTable, "key" | "epoch">): ArtifactLinkEpoch {
  return { key, epoch }
}
