/** One account: what it spent and may do, its keys, and its private links. */
import type { ApiKey, OperatorAccount } from "@safelight/client"
import type { JSX } from "preact"
import { Facts } from "../../design/facts.tsx"
import { Moment } from "../../design/moment.tsx"
import { Money } from "../../design/money.tsx"
import { PageHead } from "../../design/page-head.tsx"
import type { PageProps } from "../../router/pages.ts"
import { toHref } from "../../router/route.ts"
import { LoadedPage } from "../../session/loaded-page.tsx"
import { useClient } from "../../session/session.ts"
import { useLoaded } from "../../session/use-loaded.ts"
import { AskedButton } from "./asked-button.tsx"
import { KeyPanel } from "./key-panel.tsx"
import { LimitsForm } from "./limits-form.tsx"

interface Whole {
  readonly account: OperatorAccount
  readonly keys: readonly ApiKey[]
}

export function Page({ rest: [name = ""] }: PageProps): JSX.Element {
  const { admin } = useClient()
  const loading = useLoaded(
    async (signal): Promise<Whole> => {
      const [account, keys] = await Promise.all([
        admin.accounts.get(name, { signal }),
        admin.accounts.keys(name, { signal }),
      ])
      return { account, keys }
    },
    [admin, name],
  )
  const missing = {
    code: "account_not_found",
    title: "There is no such account",
    words: <a href="#/accounts">See all accounts</a>,
  }
  return (
    <LoadedPage loading={loading} missing={missing}>
      {(whole) => <AccountView whole={whole} onChanged={loading.reload} />}
    </LoadedPage>
  )
}

interface AccountViewProps {
  readonly whole: Whole
  readonly onChanged: () => void
}

function AccountView({ whole: { account, keys }, onChanged }: AccountViewProps): JSX.Element {
  const { admin } = useClient()
  const { account: name, suspended_at } = account
  const isSuspended = suspended_at > 0
  const suspend = (suspended: boolean) => () => admin.accounts.set(name, { suspended })
  return (
    <>
      <PageHead title={name} above={<a href={toHref(["accounts"])}>All accounts</a>}>
        {isSuspended ? (
          <AskedButton
            verb="Open again"
            follows="Its keys are taken again."
            act={suspend(false)}
            done="Open again."
            onDone={onChanged}
          />
        ) : (
          <AskedButton
            verb="Suspend"
            follows="Every request of the account is refused. Tasks that it has go on."
            act={suspend(true)}
            done="Suspended."
            onDone={onChanged}
          />
        )}
        <AskedButton
          verb="End its links"
          follows="Every private link that the account made until now ends, at once and for good."
          act={() => admin.accounts.revokeLinks(name)}
          done="Its links have ended."
          onDone={onChanged}
        />
      </PageHead>
      {isSuspended && (
        <p class="card" role="note">
          <strong>Suspended</strong> <Moment atMs={suspended_at * 1_000} />. Every request is
          refused.
        </p>
      )}
      <Sums account={account} />
      <LimitsForm key={JSON.stringify(account)} account={account} onSaved={onChanged} />
      <KeyPanel account={name} keys={keys} onChanged={onChanged} />
    </>
  )
}

function Sums({ account }: { readonly account: OperatorAccount }): JSX.Element {
  const { account: name, created_at, totals } = account
  return (
    <section class="card" aria-labelledby="sums">
      <h2 id="sums">Sums</h2>
      <Facts
        facts={[
          ["Charged", <Money micros={totals.charged_micros} />],
          ["Held back for unfinished tasks", <Money micros={totals.reserved_micros} />],
          [
            "Left of the budget",
            totals.left_micros === null ? "no budget" : <Money micros={totals.left_micros} />,
          ],
          ["Unfinished tasks", totals.unfinished_tasks],
          ["Made", <Moment atMs={created_at * 1_000} />],
          ["Its tasks", <a href={toHref(["all-tasks"], { account: name })}>See them</a>],
          ["Its spending", <a href={toHref(["spending"], { account: name })}>See it</a>],
        ]}
      />
    </section>
  )
}
