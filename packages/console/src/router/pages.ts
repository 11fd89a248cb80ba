/**
 * Every page of the console: one line and one folder each. A page's module exports `Page`, and is fetched when the page
 * is first opened.
 */
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
  /** Shown only to a key with the scope `admin`. */
  readonly isOperators?: boolean
  readonly load: () => Promise<PageModule>
  /** Pages with more segments in their route, a single task for example. */
  readonly loadOne?: () => Promise<PageModule>
}

export const PAGES: readonly PageEntry[] = [
  {
    segment: "playground",
    title: "Playground",
    icon: "playground",
    load: () => import("../pages/playground/playground-page.tsx"),
  },
  {
    segment: "tasks",
    title: "Tasks",
    icon: "tasks",
    load: () => import("../pages/tasks/tasks-page.tsx"),
    loadOne: () => import("../pages/task/task-page.tsx"),
  },
  {
    segment: "gallery",
    title: "Gallery",
    icon: "gallery",
    load: () => import("../pages/gallery/gallery-page.tsx"),
  },
  {
    segment: "usage",
    title: "Usage",
    icon: "usage",
    load: () => import("../pages/usage/usage-page.tsx"),
  },
  {
    segment: "webhooks",
    title: "Webhooks",
    icon: "webhooks",
    load: () => import("../pages/webhooks/webhooks-page.tsx"),
    loadOne: () => import("../pages/webhooks/webhook-page.tsx"),
  },
  {
    segment: "all-tasks",
    title: "All tasks",
    icon: "tasks",
    isOperators: true,
    load: () => import("../pages/all-tasks/all-tasks-page.tsx"),
    loadOne: () => import("../pages/all-tasks/any-task-page.tsx"),
  },
  {
    segment: "accounts",
    title: "Accounts",
    icon: "accounts",
    isOperators: true,
    load: () => import("../pages/accounts/accounts-page.tsx"),
    loadOne: () => import("../pages/accounts/account-page.tsx"),
  },
  {
    segment: "channels",
    title: "Channels",
    icon: "channels",
    isOperators: true,
    load: () => import("../pages/channels/channels-page.tsx"),
  },
  {
    segment: "spending",
    title: "Spending",
    icon: "spending",
    isOperators: true,
    load: () => import("../pages/spending/spending-page.tsx"),
  },
  {
    segment: "system",
    title: "System",
    icon: "system",
    isOperators: true,
    load: () => import("../pages/system/system-page.tsx"),
  },
]

/** Shown at the address without a fragment. */
export const FIRST_PAGE = "playground"
