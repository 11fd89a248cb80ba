/** Every endpoint of the service, in the order of the document. A new one is added here. */
import type { Endpoint } from "./endpoint.ts"
import { showContent } from "./endpoints/artifact-content.ts"
import { createLink, revokeLinks } from "./endpoints/artifact-links.ts"
import { showConsole, showConsoleFile } from "./endpoints/console.ts"
import { createQuote } from "./endpoints/create-quote.ts"
import { cancelTask } from "./endpoints/cancel-task.ts"
import { createTask } from "./endpoints/create-task.ts"
import { showLiveness, showReadiness } from "./endpoints/health.ts"
import { holdArtifacts } from "./endpoints/hold-artifacts.ts"
import { showInput } from "./endpoints/input-content.ts"
import { listArtifacts } from "./endpoints/list-artifacts.ts"
import { listEvents } from "./endpoints/list-events.ts"
import { listTasks } from "./endpoints/list-tasks.ts"
import { showMe } from "./endpoints/show-me.ts"
import { showMetrics } from "./endpoints/metrics-page.ts"
import { listModels, showModel } from "./endpoints/models.ts"
import { createKey, listKeys, revokeKey, rotateKey } from "./endpoints/operator-account-keys.ts"
import {
  listAccounts,
  revokeAccountLinks,
  setAccount,
  showAccount,
} from "./endpoints/operator-accounts.ts"
import { listChanges } from "./endpoints/operator-changes.ts"
import { streamAudit } from "./endpoints/operator-audits.ts"
import {
  checkChannel,
  drainChannel,
  listChannels,
  pauseChannel,
  resumeChannel,
} from "./endpoints/operator-channels.ts"
import {
  cancelAnyTask,
  listAllTasks,
  listStoredEvents,
  resolveTask,
  showAnyTask,
} from "./endpoints/operator-tasks.ts"
import { showSystem } from "./endpoints/operator-system.ts"
import { showOperatorUsage } from "./endpoints/operator-usage.ts"
import { receiveCallback } from "./endpoints/receive-callback.ts"
import { showDocument, showPage, showPageFile } from "./endpoints/reference.ts"
import { showBalance } from "./endpoints/show-balance.ts"
import { showTaskUsage } from "./endpoints/show-task-usage.ts"
import { streamAccount } from "./endpoints/stream-account.ts"
import { streamTask } from "./endpoints/stream-task.ts"
import { showTask } from "./endpoints/show-task.ts"
import { signIn } from "./endpoints/sign-in.ts"
import { showUsage } from "./endpoints/show-usage.ts"
import {
  listDeliveries,
  replayDelivery,
  replayFailedDeliveries,
  showDelivery,
} from "./endpoints/webhook-deliveries.ts"
import {
  createWebhook,
  deleteWebhook,
  listWebhooks,
  rotateWebhookSecret,
  showWebhook,
  testWebhook,
  updateWebhook,
} from "./endpoints/webhooks.ts"

export const ENDPOINTS: readonly Endpoint[] = [
  showMe,
  signIn,
  listTasks,
  createTask,
  showTask,
  cancelTask,
  listEvents,
  streamTask,
  streamAccount,
  showTaskUsage,
  showUsage,
  showBalance,
  createQuote,
  listModels,
  showModel,
  listArtifacts,
  holdArtifacts,
  createLink,
  revokeLinks,
  showContent,
  showInput,
  listWebhooks,
  createWebhook,
  showWebhook,
  updateWebhook,
  deleteWebhook,
  rotateWebhookSecret,
  testWebhook,
  listDeliveries,
  showDelivery,
  replayDelivery,
  replayFailedDeliveries,
  listAllTasks,
  showAnyTask,
  listStoredEvents,
  cancelAnyTask,
  resolveTask,
  listChannels,
  pauseChannel,
  drainChannel,
  resumeChannel,
  checkChannel,
  listAccounts,
  showAccount,
  setAccount,
  listKeys,
  createKey,
  revokeKey,
  rotateKey,
  revokeAccountLinks,
  showOperatorUsage,
  showSystem,
  listChanges,
  streamAudit,
  receiveCallback,
  showLiveness,
  showReadiness,
  showDocument,
  showPage,
  showPageFile,
  showMetrics,
  showConsole,
  showConsoleFile,
]

/** Where each is, as Hono writes a path: for whoever walks all of them, documented or not. */
export const ROUTES: readonly Pick<Endpoint, "method" | "path">[] = ENDPOINTS.map(
  ({ method, path }) => ({ method, path }),
)
