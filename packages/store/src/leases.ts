/**
 * Worker leases. The first heartbeat registers a lease. Tasks may be held under an unregistered lease, by a
 * statement that arrived late: such a lease is listed too, and expires. An expiry is one guarded change: the
 * commit that frees the tasks also checks that the count of heartbeats has not changed.
 */
import type { HeartbeatRequest, LeaseFacts, QueueStorage, WorkerLease } from "@safelight/core"
import { sql } from "kysely"
import { toStep, type Connections } from "./sql/driver.ts"
import { toTagOnceFree } from "./free-tag.ts"
import { describeStatements, type Compiler } from "./sql/statement.ts"

export interface OfLease {
  readonly lease: string
}

const HEARTBEATS = describeStatements(({ db, compile }) => ({
  /** Registers or renews `lease`, unless it is stored with as many `heartbeats`. */
  renew: compile(({ lease, heartbeats, facts }: HeartbeatRequest) =>
    db
      .insertInto("leases")
      .values({ lease, heartbeats, facts })
      .onConflict((conflict) =>
        conflict
          .column("lease")
          .doUpdateSet((of) => ({
            heartbeats: of.ref("excluded.heartbeats"),
            facts: of.ref("excluded.facts"),
          }))
          .whereRef("leases.heartbeats", "<", "excluded.heartbeats"),
      ),
  ),
  findHeld: compile(({ lease }: OfLease) =>
    db.selectFrom("ready").select("task").where("lease", "=", lease),
  ),
  /** Every lease that is registered or holds a task; without facts those that are not registered. */
  listLeases: compile(() => {
    const known = db
      .selectFrom("ready")
      .select((of) => of.ref("lease").$notNull().as("lease"))
      .where("lease", "is not", null)
      .union(db.selectFrom("leases").select("lease"))
    return db
      .selectFrom(known.as("known"))
      .leftJoin("leases", "leases.lease", "known.lease")
      .select((of) => [
        "known.lease",
        of.fn.coalesce("leases.heartbeats", of.lit(0)).as("heartbeats"),
        "leases.facts",
      ])
  }),
}))

const ENDS = describeStatements(({ db, compile }) => {
  const free = db
    .updateTable("ready")
    .set((of) => ({ lease: of.lit(null), startTag: toTagOnceFree(of) }))
  return {
    /**
     * Changes one row if `lease` has `heartbeats`, and none otherwise. An unregistered lease gets a row here, so that
     * a heartbeat at the same moment is either first, and stops the expiry, or second. The count is compared
     * by the statement that changes the row: an earlier read may be old by then.
     */
    expire: compile(({ lease, heartbeats }: OfLease & { readonly heartbeats: number }) => {
      const registered = db.selectFrom("leases").select("lease").where("lease", "=", lease)
      return db
        .insertInto("leases")
        .columns(["lease", "heartbeats", "facts"])
        .expression(
          db
            .selectNoFrom((of) => [
              of.val(lease).as("lease"),
              of.lit(0).as("heartbeats"),
              sql.lit("").$castTo<LeaseFacts>().as("facts"),
            ])
            .where((of) => of.or([of(of.val(heartbeats), "=", of.lit(0)), of.exists(registered)])),
        )
        .onConflict((conflict) =>
          conflict
            .column("lease")
            .doUpdateSet((of) => ({ heartbeats: of.lit(0) }))
            .where("leases.heartbeats", "=", heartbeats),
        )
    }),
    /** Releases the tasks held under `lease`; a task that was ever dispatched loses its start tag. */
    freeTasks: compile(({ lease }: OfLease) => free.where("lease", "=", lease)),
    forget: compile(({ lease }: OfLease) => db.deleteFrom("leases").where("lease", "=", lease)),
    freeEveryTask: compile(() => free.where("lease", "is not", null)),
    forgetAll: compile(() => db.deleteFrom("leases")),
  }
})

export const LEASE_STATEMENTS = describeStatements((compiler) => ({
  ...HEARTBEATS(compiler),
  ...ENDS(compiler),
}))

export type LeaseMethods = Pick<QueueStorage, "heartbeat" | "listLeases" | "expire">

/** `onFreed` is called after tasks that were held became free. */
export function createLeaseMethods(
  { read, commit }: Connections,
  compiler: Compiler,
  onFreed: () => void,
): LeaseMethods {
  const statements = LEASE_STATEMENTS(compiler)
  const list = async () => (await read(statements.listLeases, {})).map(toWorkerLease)
  return {
    async heartbeat(request) {
      const { lease } = request
      await commit({ steps: [toStep(statements.renew, request)] })
      // After it: what is read before could be older than a lease that sees this one.
      const [held, leases] = await Promise.all([read(statements.findHeld, { lease }), list()])
      return { held: held.map(({ task }) => task), leases }
    },
    listLeases: list,
    async expire({ lease, heartbeats }) {
      const outcome = await commit({
        steps: [
          toStep(statements.expire, { lease, heartbeats }),
          toStep(statements.freeTasks, { lease }),
          toStep(statements.forget, { lease }),
        ],
        isGuarded: true,
      })
      if (outcome === true) onFreed()
      return outcome === true
    },
  }
}

interface LeaseRow extends OfLease {
  readonly heartbeats: number
  readonly facts: LeaseFacts | null
}

function toWorkerLease({ lease, heartbeats, facts }: LeaseRow): WorkerLease {
  return facts === null ? { lease, heartbeats } : { lease, heartbeats, facts }
}
