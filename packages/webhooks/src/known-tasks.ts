/** What webhooks know of tasks. */
import type { ChangeService, TaskService } from "@safelight/core"

/** An engine implements it. */
export type KnownTasks = Pick<TaskService, "findTask"> & Pick<ChangeService, "findTaskAt">
