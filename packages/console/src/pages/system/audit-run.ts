/**
 * The audit of this tab. It continues while the reader looks at other pages, and ends with the session: the service has
 * one at a time, which it ends with the connection.
 *
 *     running ──▶ reported
 *        ├──────▶ cancelled
 *        └──────▶ failed
 */
import type { AuditKind, AuditProgress, AuditReport, Client } from "@safelight/client"
import { computed, effect, signal, type ReadonlySignal } from "@preact/signals"
import { session } from "../../session/session.ts"

interface AuditOfClient {
  readonly client: Client
  readonly kind: AuditKind
  readonly startedAtMs: number
  /** How many tasks there are, as far as sums tell; undefined until they have. */
  readonly expectedTasks?: number
}

export type AuditRun = AuditOfClient & AuditStanding

type AuditStanding =
  | { readonly state: "running" | "cancelled"; readonly progress?: AuditProgress }
  | { readonly state: "reported"; readonly report: AuditReport; readonly tookMs: number }
  | { readonly state: "failed"; readonly error: unknown }

const current = signal<AuditRun | undefined>(undefined)
let abort = new AbortController()

/** The last one of this session. */
export const auditRun: ReadonlySignal<AuditRun | undefined> = computed(() =>
  current.value?.client === session.value?.client ? current.value : undefined,
)

/** Ends the one that runs. */
export function startAudit(client: Client, kind: AuditKind): void {
  abort.abort()
  const own = (abort = new AbortController())
  const run: AuditOfClient = { client, kind, startedAtMs: Date.now() }
  current.value = { ...run, state: "running" }
  const unwatch = effect(() => {
    if (session.value?.client !== client) own.abort()
  })
  void estimate(client, own.signal)
  void follow(run, own.signal).finally(unwatch)
}

export function cancelAudit(): void {
  abort.abort()
  const { value } = current
  if (value?.state === "running") current.value = { ...value, state: "cancelled" }
}

async function follow(run: AuditOfClient, ended: AbortSignal): Promise<void> {
  const tell = (standing: AuditStanding): void => {
    const { expectedTasks } = current.peek() ?? {}
    const expected = expectedTasks === undefined ? {} : { expectedTasks }
    if (!ended.aborted) current.value = { ...run, ...expected, ...standing }
  }
  try {
    for await (const message of run.client.admin.audit(run.kind, { signal: ended })) {
      if (message.type === "progress") tell({ state: "running", progress: message })
      else tell({ state: "reported", report: message, tookMs: Date.now() - run.startedAtMs })
    }
  } catch (error) {
    tell({ state: "failed", error })
  }
}

/** Tasks that were cancelled before a channel had them are in no sum: there may be more than are expected. */
async function estimate(client: Client, ended: AbortSignal): Promise<void> {
  try {
    const [usage, { queue }] = await Promise.all([
      client.admin.usage({ by: "day" }, { signal: ended }),
      client.admin.system({ signal: ended }),
    ])
    const finished = usage.rows.reduce((sum, { tasks }) => sum + tasks, 0)
    const { value } = current
    if (ended.aborted || value === undefined) return
    current.value = { ...value, expectedTasks: finished + queue.new + queue.due + queue.held }
  } catch {
    // The audit continues without: then its bar shows only that.
  }
}
