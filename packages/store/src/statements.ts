/** Every statement of the store, compiled for one dialect: for tests that look at how they are planned. */
import { ACCOUNT_STATEMENTS } from "./accounts.ts"
import { ADMISSION_STATEMENTS } from "./admission.ts"
import { APPEND_STATEMENTS } from "./appends.ts"
import { ARCHIVE_STATEMENTS } from "./archive-statements.ts"
import { CHANNEL_STATEMENTS } from "./channels.ts"
import { FEED_STATEMENTS } from "./feeds.ts"
import { INSIGHT_STATEMENTS } from "./insight.ts"
import { KEY_STATEMENTS } from "./keys.ts"
import { LEASE_STATEMENTS } from "./leases.ts"
import { LINK_STATEMENTS } from "./links.ts"
import { LIST_STATEMENTS } from "./lists.ts"
import { OPERATOR_CHANGE_STATEMENTS } from "./operator-changes.ts"
import { QUEUE_STATEMENTS } from "./queue-statements.ts"
import { RATE_STATEMENTS } from "./rates.ts"
import { READ_STATEMENTS } from "./reads.ts"
import { SCAN_STATEMENTS } from "./scans.ts"
import { describeStatements } from "./sql/statement.ts"
import { TOTALS_STATEMENTS } from "./totals.ts"
import { TREE_STATEMENTS } from "./tree-statements.ts"
import { WEBHOOK_STATEMENTS } from "./webhook-statements.ts"

export const STATEMENTS = describeStatements((compiler) => ({
  accounts: ACCOUNT_STATEMENTS(compiler),
  admission: ADMISSION_STATEMENTS(compiler),
  append: APPEND_STATEMENTS(compiler),
  archive: ARCHIVE_STATEMENTS(compiler),
  channels: CHANNEL_STATEMENTS(compiler),
  feeds: FEED_STATEMENTS(compiler),
  insight: INSIGHT_STATEMENTS(compiler),
  keys: KEY_STATEMENTS(compiler),
  leases: LEASE_STATEMENTS(compiler),
  links: LINK_STATEMENTS(compiler),
  list: LIST_STATEMENTS(compiler),
  operatorChanges: OPERATOR_CHANGE_STATEMENTS(compiler),
  queue: QUEUE_STATEMENTS(compiler),
  rates: RATE_STATEMENTS(compiler),
  read: READ_STATEMENTS(compiler),
  scan: SCAN_STATEMENTS(compiler),
  totals: TOTALS_STATEMENTS(compiler),
  tree: TREE_STATEMENTS(compiler),
  webhooks: WEBHOOK_STATEMENTS(compiler),
}))
