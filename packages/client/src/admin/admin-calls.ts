/** The operator's calls: the whole service, across accounts. The key needs the scope `admin`. */
import {
  isChannelCheck,
  isChannelList,
  isChannelStanding,
  isOperatorChangeList,
  isOperatorUsage,
  isSystem,
} from "../api/check-operator-answers.ts"
import type {
  ChannelCheck,
  ChannelList,
  ChannelStanding,
  OperatorChangeList,
  OperatorUsage,
  System,
} from "../api/operator-answers.ts"
import { withQuery } from "../api/paths.ts"
import type { Check, Connection } from "../connection/connection.ts"
import type { CallOptions } from "../tasks/list-tasks.ts"
import { createAdminAccountCalls, type AdminAccountCalls } from "./admin-account-calls.ts"
import { createAdminTaskCalls, type AdminTaskCalls } from "./admin-task-calls.ts"
import { streamAudit, type AuditKind, type AuditMessage } from "./audit-messages.ts"

export type Channel = ChannelList["channels"][number]

export interface OperatorUsageQuery {
  readonly by: OperatorUsage["by"]
  readonly account?: string | undefined
  /** Unix seconds, inclusive. */
  readonly from?: number | undefined
  /** Unix seconds, exclusive; until now by default. */
  readonly to?: number | undefined
}

export interface ChangesQuery {
  /** 20 by default. */
  readonly limit?: number | undefined
  /** `next_cursor` of the page before. */
  readonly cursor?: string | undefined
}

export interface AdminCalls extends AdminTaskCalls {
  /** Accounts, their limits and their keys. */
  readonly accounts: AdminAccountCalls
  /** Every channel, with what came of its tasks in the last 24 hours. */
  channels(options?: CallOptions): Promise<readonly Channel[]>
  /** Gives it no new tasks; those that it has continue. Twice is safe. */
  pauseChannel(name: string, options?: CallOptions): Promise<ChannelStanding>
  /** The same; `state` is `draining` until it has nothing in flight. */
  drainChannel(name: string, options?: CallOptions): Promise<ChannelStanding>
  resumeChannel(name: string, options?: CallOptions): Promise<ChannelStanding>
  /** Whether its provider takes key and models; buys nothing. */
  checkChannel(name: string, options?: CallOptions): Promise<ChannelCheck>
  /** What tasks were charged and what they cost. */
  usage(query: OperatorUsageQuery, options?: CallOptions): Promise<OperatorUsage>
  system(options?: CallOptions): Promise<System>
  /** One page of what operators changed, newest first: who, what, and when. */
  changes(query?: ChangesQuery, options?: CallOptions): Promise<OperatorChangeList>
  /** Proves the log; the last message is the report. Leaving the loop ends the audit. */
  audit(kind: AuditKind, options?: CallOptions): AsyncIterableIterator<AuditMessage>
}

const CHANNELS_PATH = "/v1/admin/channels"

export function createAdminCalls(connection: Connection): AdminCalls {
  function post<Value>(
    name: string,
    word: string,
    check: Check<Value>,
    { signal }: CallOptions = {},
  ): Promise<Value> {
    const path = `${CHANNELS_PATH}/${encodeURIComponent(name)}/${word}`
    const once = async () => (await connection.ask({ method: "POST", path, signal }, check)).value
    return connection.retry(once, { signal })
  }

  return {
    ...createAdminTaskCalls(connection),
    accounts: createAdminAccountCalls(connection),
    async channels({ signal } = {}) {
      return (await connection.read(CHANNELS_PATH, isChannelList, { signal })).channels
    },
    pauseChannel: (name, options) => post(name, "pause", isChannelStanding, options),
    drainChannel: (name, options) => post(name, "drain", isChannelStanding, options),
    resumeChannel: (name, options) => post(name, "resume", isChannelStanding, options),
    checkChannel: (name, options) => post(name, "check", isChannelCheck, options),
    usage({ account, by, from, to }, { signal } = {}) {
      const path = withQuery("/v1/admin/usage", { by, account, from, to })
      return connection.read(path, isOperatorUsage, { signal })
    },
    system: ({ signal } = {}) => connection.read("/v1/admin/system", isSystem, { signal }),
    changes({ cursor, limit } = {}, { signal } = {}) {
      const path = withQuery("/v1/admin/changes", { limit, cursor })
      return connection.read(path, isOperatorChangeList, { signal })
    },
    audit: (kind, options = {}) => streamAudit(connection, kind, options),
  }
}
