/**
 * Heartbeats: each renews this process's lease, makes what is held under it equal to what is in hand, takes in
 * which leases there are, and expires those that stand still. Work whose task is not held any more is called
 * off in the same breath as the lease is renewed; how long the lease holds is counted from before the
 * heartbeat was sent. A change of membership is reported at once, so that shares are agreed on within moments.
 */
import type { LeaseFacts } from "@safelight/core"
import type { Context } from "../host/context.ts"
import { createAlarm } from "../host/alarm.ts"
import { toBackoffMs } from "../host/settings.ts"
import type { Work } from "../work/work.ts"
import { createExpireOthers } from "./expire-others.ts"
import { createReconcile } from "./reconcile.ts"

export interface HeartbeatParts {
  /** All work that is in hand. */
  readonly listWork: () => readonly Work[]
  readonly isInHand: (task: string) => boolean
  /** There may be more to take: shares have changed, or tasks of others are free. */
  readonly onChange: () => void
}

export interface Heartbeats {
  /** Heartbeat upon heartbeat until `stopped`. */
  runUntil(stopped: AbortSignal): Promise<void>
  /** Has the next one come at once, if what it tells has changed. */
  tell(): void
}

/** At least so often: a process that joins has no share before the others have seen it. */
const LONGEST_PAUSE_MS = 5_000
/** So many in the time that a lease holds: one that comes ten seconds late still renews a lease of fifteen. */
const IN_LEASE = 5

export function createHeartbeats(context: Context, parts: HeartbeatParts): Heartbeats {
  const { clock, lease, log, node, routing, settings, shares, storage } = context
  const others = createExpireOthers(context, lease.id)
  const reconcile = createReconcile(context, parts.isInHand)
  const alarm = createAlarm(clock)
  const everyMs = Math.min(settings.leaseMs / IN_LEASE, LONGEST_PAUSE_MS)
  const served = toServed(context)
  let heartbeats = 0
  let told = ""

  const toFacts = (): LeaseFacts => ({
    ...served,
    leftAlone: routing.listLeftAlone(),
    ...context.troubles.toFacts(),
    isAble: routing.isAble(),
    excess: shares.excess(),
    membership: shares.membership(),
    round: shares.round(),
    ...(node && { node, toldAt: clock.now() }),
  })

  /** Resolves to how long after its beginning the next one comes: also as soon as another's lease may be expired. */
  async function sendHeartbeat(): Promise<number> {
    const startedAt = clock.monotonicNow()
    const known = parts.listWork()
    const facts = toFacts()
    heartbeats += 1
    const { held, leases } = await storage.heartbeat({ lease: lease.id, heartbeats, facts })
    told = toName(facts)
    if (clock.monotonicNow() >= lease.heldUntil) shares.lapse()
    lease.renew(startedAt)
    const reconciled = reconcile(known, held)
    if (shares.note(leases)) parts.onChange()
    await reconciled
    const expired = await others.expire(leases)
    if (expired > 0) parts.onChange()
    if (expired > 0 || toName(toFacts()) !== told) return 0
    const isSettled = shares.isSettled() && Object.keys(facts.excess).length === 0
    return others.cutPause(isSettled ? everyMs : Math.min(everyMs, settings.idlePollMs), startedAt)
  }

  return {
    tell() {
      if (toName(toFacts()) !== told) alarm.ring()
    },
    async runUntil(stopped) {
      stopped.addEventListener("abort", () => alarm.ring(), { once: true })
      for (let failures = 0; !stopped.aborted;) {
        const startedAt = clock.monotonicNow()
        let pauseMs: number
        try {
          await clock.ready()
          pauseMs = startedAt + (await sendHeartbeat()) - clock.monotonicNow()
          failures = 0
        } catch (error) {
          failures += 1
          log.error({ error }, "heartbeat failed")
          // Tried again soon: what is left of the lease is for working.
          pauseMs = Math.min(everyMs / 2, toBackoffMs(settings, failures))
        }
        if (pauseMs > 0 && !stopped.aborted) await alarm.wait(pauseMs)
      }
    },
  }
}

/** What stays as it is: how long the lease holds, the channels, and by channel the models that both know. */
function toServed({
  channels,
  models,
  settings,
}: Context): Pick<LeaseFacts, "channels" | "leaseMs" | "models"> {
  const made = channels.map(({ models: ids, name }) => [name, ids.filter((id) => models.has(id))])
  const { leaseMs } = settings
  return { leaseMs, channels: channels.map(({ name }) => name), models: Object.fromEntries(made) }
}

/**
 * What the others must learn at once; an excess only falls, and may be reported late, the models stay what they
 * are, and what people read is no news.
 */
function toName(facts: LeaseFacts): string {
  const { excess: _excess, models: _models, toldAt: _toldAt, troubles: _troubles, ...news } = facts
  return JSON.stringify(news)
}
