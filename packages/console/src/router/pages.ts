/**
 * Every page of the console: one line and one folder each. A page's module exports `Page`, and is fetched when the page
 * is first opened.
 */
import type { Me } from "@safelight/client"
import type { ComponentType } from "preact"
import type { IconName } from "../design/icon.tsx"

export interface PageProps {
  /** The segments of the route behind the page's own: a task's id. */
  readonly rest: readonly string[]
}

export interface PageModule {
  readonly Page: ComponentType<PageProps>
}

export interface PageEntry {
  /** The first segment of its route. */
  readonly segment: string
  readonly title: string
  readonly icon: IconName
  /** What a key needs to be shown the page. Those for `admin` are an operator's. */
  readonly scope: Me["scopes"][number]
  readonly load: () => Promise<PageModule>
  /** Pages with more segments in their route, a single task for example. */
  readonly loadOne?: () => Promise<PageModule>
}

export const PAGES: readonly PageEntry[] = [
  {
    segment: "playground",
    title: "Playground",
    icon: "playground",
    scope: "tasks:write",
    load: () => import("../pages/playground/playground-page.tsx"),
  },
  {
    segment: "tasks",
    title: "Tasks",
    icon: "tasks",
    scope: "tasks:read",
    load: () => import("../pages/tasks/tasks-page.tsx"),
    loadOne: () => import("../pages/task/task-page.tsx"),
  },
  {
    segment: "gallery",
    title: "Gallery",
    icon: "gallery",
    scope: "artifacts:read",
    load: () => import("../pages/gallery/gallery-page.tsx"),
  },
  {
    segment: "models",
    title: "Models",
    icon: "models",
    scope: "tasks:read",
    load: () => import("../pages/models/models-page.tsx"),
    loadOne: () => import("../pages/models/model-page.tsx"),
  },
  {
    segment: "usage",
    title: "Usage",
    icon: "usage",
    scope: "tasks:read",
    load: () => import("../pages/usage/usage-page.tsx"),
  },
  {
    segment: "webhooks",
    title: "Webhooks",
    icon: "webhooks",
    scope: "webhooks:write",
    load: () => import("../pages/webhooks/webhooks-page.tsx"),
    loadOne: () => import("../pages/webhooks/webhook-page.tsx"),
  },
  {
    segment: "all-tasks",
    title: "All tasks",
    icon: "tasks",
    scope: "admin",
    load: () => import("../pages/all-tasks/all-tasks-page.tsx"),
    loadOne: () => import("../pages/all-tasks/any-task-page.tsx"),
  },
  {
    segment: "accounts",
    title: "Accounts",
    icon: "accounts",
    scope: "admin",
    load: () => import("../pages/accounts/accounts-page.tsx"),
    loadOne: () => import("../pages/accounts/account-page.tsx"),
  },
  {
    segment: "channels",
    title: "Channels",
    icon: "channels",
    scope: "admin",
    load: () => import("../pages/channels/channels-page.tsx"),
  },
  {
    segment: "spending",
    title: "Spending",
    icon: "spending",
    scope: "admin",
    load: () => import("../pages/spending/spending-page.tsx"),
  },
  {
    segment: "system",
    title: "System",
    icon: "system",
    scope: "admin",
    load: () => import("../pages/system/system-page.tsx"),
  },
]
