"""Operations on claims, the user's choices and policies, each compared with the model."""

from campaign.model_calls import Calls


class ClaimOperations(Calls):
    def op_claim(self, client, application, schemes, persistent):
        reply = self.ask(client, "Schemes1", "Register", "sasa{sv}", application, schemes,
                         {"persistent": ("b", persistent)})
        errors = () if persistent else {"NotOwner"}
        values = self.expect(reply, errors, f"Register of {schemes} for {application}")
        if values:
            self.claims.register(application, schemes, "persistent")
            got = {(row["scheme"].lower(), row["application"]) for row in values[0]["conflicts"]}
            self.same(got, {(scheme.lower(), other) for scheme in schemes for other in self.claims.order(scheme)
                            if other != application}, "the conflicts of a claim")

    def op_unclaim(self, client, application, schemes):
        reply = self.ask(client, "Schemes1", "Unregister", "sasa{sv}", application, schemes, {})
        names = {scheme.lower() for scheme in schemes} or set(self.claims.schemes)
        kinds = {kind for name in names for kind in self.claims.schemes.get(name, {}).get(application, {})}
        if self.expect(reply, {"NotOwner"} if kinds == {"live"} else (), f"Unregister {schemes}") is not None:
            self.claims.unregister(application, schemes, ["persistent"])

    def op_default(self, client, scheme, application):
        reply = self.ask(client, "Schemes1", "SetDefault", "ssa{sv}", scheme, application, {})
        self.expect(reply, (), "SetDefault")
        self.claims.defaults.pop(scheme.lower(), None)
        if application:
            self.claims.defaults[scheme.lower()] = application

    def op_resolve(self, client, scheme, source):
        url = scheme.swapcase() + ":x"
        got = self.expect(self.ask(client, "Schemes1", "ResolveURL", "sa{sv}", url, {}), (), "ResolveURL")[0]
        application, reason = self.claims.handler(scheme)
        chosen = self.claims.defaults.get(scheme.lower())
        absent = chosen if chosen and chosen != application else None
        self.same((got["application"], got["reason"], got.get("running", 0), got.get("absent-default")),
                  (application, reason, int(application in self.handlers), absent), f"I21: the resolution of {url}")
        first = [row["application"] for row in got.get("candidates", [])]
        order = self.claims.order(scheme)
        self.same(first, sorted(order, key=lambda name: name != application), f"the candidates for {url}")
        options = {"source-application": ("s", source)} if source else {}
        can = self.expect(self.ask(client, "Schemes1", "CanOpenURL", "sa{sv}", url, options), (), "CanOpenURL")
        allowed = application in self.handlers and self.policies.allows(application, self.source(client, source))
        self.same(can, [int(allowed)], f"CanOpenURL of {url} from {source}")

    def op_policy(self, client, application, default, allow, deny):
        policy = {"default": ("s", default), "allow": ("as", allow), "deny": ("as", deny)} if default else {}
        self.expect(self.ask(client, "Schemes1", "SetPolicy", "sa{sv}a{sv}", application, policy, {}), (), "SetPolicy")
        self.policies.rows.pop(application, None)
        # A policy that rejects nothing is the same as none.
        if default and (default, allow, deny) != ("allow", [], []):
            self.policies.rows[application] = default, sorted(allow), sorted(deny)
