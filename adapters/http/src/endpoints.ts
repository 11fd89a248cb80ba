/** Every endpoint of the service, in the order of the document. A new one is added here. */
import type { Endpoint } from "./endpoint.ts"
import { showContent } from "./endpoints/artifact-content.ts"
import { createLink, revokeLinks } from "./endpoints/artifact-links.ts"
import { createTask } from "./endpoints/create-task.ts"
import { showLiveness, showReadiness } from "./endpoints/health.ts"
import { showInput } from "./endpoints/input-content.ts"
import { listArtifacts } from "./endpoints/list-artifacts.ts"
import { listEvents } from "./endpoints/list-events.ts"
import { listTasks } from "./endpoints/list-tasks.ts"
import { showMetrics } from "./endpoints/metrics-page.ts"
import { receiveCallback } from "./endpoints/receive-callback.ts"
import { showDocument, showPage, showPageFile } from "./endpoints/reference.ts"
import { showTaskUsage } from "./endpoints/show-task-usage.ts"
import { showTask } from "./endpoints/show-task.ts"
import { showUsage } from "./endpoints/show-usage.ts"

export const ENDPOINTS: readonly Endpoint[] = [
  listTasks,
  createTask,
  showTask,
  listEvents,
  showTaskUsage,
  showUsage,
  listArtifacts,
  createLink,
  revokeLinks,
  showContent,
  showInput,
  receiveCallback,
  showLiveness,
  showReadiness,
  showDocument,
  showPage,
  showPageFile,
  showMetrics,
]
