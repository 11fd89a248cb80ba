/** All accounts by name, with what each may do. One is added by its name alone, with the limits of the configuration. */
import { isApiError, type AccountSettings } from "@safelight/client"
import { useSignal } from "@preact/signals"
import type { JSX } from "preact"
import { Button } from "../../design/button.tsx"
import { Dialog } from "../../design/dialog.tsx"
import { Empty } from "../../design/empty.tsx"
import { Failure, toSentence } from "../../design/failure.tsx"
import { Field } from "../../design/field.tsx"
import { Moment } from "../../design/moment.tsx"
import { Money } from "../../design/money.tsx"
import { PageHead } from "../../design/page-head.tsx"
import { PlainTable } from "../../design/plain-table.tsx"
import { Waiting } from "../../design/waiting.tsx"
import { goTo, route, toHref } from "../../router/route.ts"
import { useClient } from "../../session/session.ts"
import { useLoaded } from "../../session/use-loaded.ts"

const PAGE_ACCOUNTS = 100
const TITLES = ["Account", "State", "Budget", "Unfinished tasks", "Tasks at once", "Made"]

export function Page(): JSX.Element {
  const { admin } = useClient()
  const cursor = route.value.query.get("cursor") ?? undefined
  const isAdding = useSignal(false)
  const { state, reload } = useLoaded(
    (signal) => admin.accounts.list({ limit: PAGE_ACCOUNTS, cursor }, { signal }),
    [admin, cursor],
  )
  const { value: page, error } = state.value
  const next = page?.next_cursor ?? undefined
  return (
    <div class="stack">
      <PageHead title="Accounts">
        <Button look="main" onPress={() => (isAdding.value = true)}>
          Add an account
        </Button>
      </PageHead>
      {error !== undefined && <Failure error={error} onRetry={reload} />}
      {page === undefined ? (
        error === undefined && <Waiting />
      ) : (
        <AccountTable accounts={page.accounts} />
      )}
      <p class="line">
        {cursor !== undefined && <a href={toHref(["accounts"])}>The first accounts</a>}
        {next !== undefined && <a href={toHref(["accounts"], { cursor: next })}>More accounts</a>}
      </p>
      {isAdding.value && <NewAccount onClose={() => (isAdding.value = false)} />}
    </div>
  )
}

function AccountTable({
  accounts,
}: {
  readonly accounts: readonly AccountSettings[]
}): JSX.Element {
  if (accounts.length === 0) {
    return <Empty title="No accounts">One is made with its first key.</Empty>
  }
  const rows = accounts.map((account) => ({
    id: account.account,
    cells: [
      <a href={toHref(["accounts", account.account])}>
        <bdi>{account.account}</bdi>
      </a>,
      account.suspended_at === 0 ? "open" : <strong>suspended</strong>,
      account.budget_micros === null ? "none" : <Money micros={account.budget_micros} />,
      account.unfinished_tasks ?? "any",
      account.running_tasks ?? "any",
      <Moment atMs={account.created_at * 1_000} />,
    ],
  }))
  return (
    <section class="card" aria-label="Accounts">
      <PlainTable label="All accounts" titles={TITLES} rows={rows} />
    </section>
  )
}

function NewAccount({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const { admin } = useClient()
  const name = useSignal("")
  const isBusy = useSignal(false)
  const fault = useSignal<string | undefined>(undefined)

  async function make(event: Event): Promise<void> {
    event.preventDefault()
    if (isBusy.value) return
    isBusy.value = true
    try {
      const { account } = await admin.accounts.set(name.value.trim(), {})
      goTo(toHref(["accounts", account]))
    } catch (error) {
      if (!isApiError(error)) throw error
      fault.value = toSentence(error)
    } finally {
      isBusy.value = false
    }
  }

  return (
    <Dialog title="Add an account" onClose={onClose}>
      <form class="stack" onSubmit={(event) => void make(event)}>
        <Field label="Name" fault={fault.value}>
          {(attributes) => (
            <input
              {...attributes}
              required
              spellcheck={false}
              value={name}
              onInput={(event) => (name.value = event.currentTarget.value)}
            />
          )}
        </Field>
        <Button type="submit" look="main" isBusy={isBusy.value}>
          Add it
        </Button>
      </form>
    </Dialog>
  )
}
