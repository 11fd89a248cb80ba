/** Every endpoint of the service, in the order of the document. A new one is added here. */
import type { Endpoint } from "../pipeline/endpoint.ts"
import { showContent } from "./artifact-content.ts"
import { createLink, createLinks, revokeLinks } from "./artifact-links.ts"
import { showConsole, showConsoleFile } from "./console.ts"
import { createQuote } from "./create-quote.ts"
import { cancelTask } from "./cancel-task.ts"
import { createTask } from "./create-task.ts"
import { showLiveness, showReadiness } from "./health.ts"
import { holdArtifacts } from "./hold-artifacts.ts"
import { showInput } from "./input-content.ts"
import { listArtifacts } from "./list-artifacts.ts"
import { listEvents } from "./list-events.ts"
import { listTasks } from "./list-tasks.ts"
import { showMe } from "./show-me.ts"
import { answerMcp } from "./mcp.ts"
import {
  openAiCreateVideo,
  openAiDeleteVideo,
  openAiEdits,
  openAiImages,
  openAiModel,
  openAiModels,
  openAiVideo,
  openAiVideoContent,
  openAiVideos,
} from "./openai.ts"
import { showMetrics } from "./metrics-page.ts"
import { listModels, showModel } from "./models.ts"
import { createKey, listKeys, revokeKey, rotateKey } from "./operator-account-keys.ts"
import { listAccounts, revokeAccountLinks, setAccount, showAccount } from "./operator-accounts.ts"
import { listChanges } from "./operator-changes.ts"
import { streamAudit } from "./operator-audits.ts"
import {
  checkChannel,
  drainChannel,
  listChannels,
  pauseChannel,
  resumeChannel,
} from "./operator-channels.ts"
import {
  cancelAnyTask,
  listAllTasks,
  listStoredEvents,
  proveAnyTask,
  resolveTask,
  showAnyTask,
} from "./operator-tasks.ts"
import { showSystem } from "./operator-system.ts"
import { showOperatorUsage } from "./operator-usage.ts"
import { proveTask } from "./prove-task.ts"
import { receiveCallback } from "./receive-callback.ts"
import { showDocument, showPage, showPageFile } from "./reference.ts"
import { showBalance } from "./show-balance.ts"
import { showTaskUsage } from "./show-task-usage.ts"
import { streamAccount } from "./stream-account.ts"
import { streamTask } from "./stream-task.ts"
import { showCheckpoint, showSignedLog, showTile } from "./signed-log.ts"
import { showStatement } from "./show-statement.ts"
import { showTask } from "./show-task.ts"
import { signIn } from "./sign-in.ts"
import { showUsage } from "./show-usage.ts"
import {
  listDeliveries,
  replayDelivery,
  replayFailedDeliveries,
  showDelivery,
} from "./webhook-deliveries.ts"
import {
  createWebhook,
  deleteWebhook,
  listWebhooks,
  rotateWebhookSecret,
  showWebhook,
  testWebhook,
  updateWebhook,
} from "./webhooks.ts"

export const ENDPOINTS: readonly Endpoint[] = [
  showMe,
  signIn,
  listTasks,
  createTask,
  showTask,
  cancelTask,
  listEvents,
  proveTask,
  streamTask,
  streamAccount,
  showTaskUsage,
  showUsage,
  showStatement,
  showBalance,
  createQuote,
  listModels,
  showModel,
  listArtifacts,
  holdArtifacts,
  createLink,
  createLinks,
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
  proveAnyTask,
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
  answerMcp,
  openAiImages,
  openAiEdits,
  openAiCreateVideo,
  openAiVideos,
  openAiVideoContent,
  openAiVideo,
  openAiDeleteVideo,
  openAiModels,
  openAiModel,
  showSignedLog,
  showCheckpoint,
  showTile,
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
