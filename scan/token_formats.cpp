#include "scan/token_formats.h"

#include <algorithm>
#include <bitset>

#include "base/text.h"

namespace tapedeck::scan {

namespace {

using Alphabet = TokenAlphabet;

constexpr TokenFormat formats[] = {
    {"token:github-classic", "ghp_", Alphabet::alnum, 36, 255, "GitHub Docs, About authentication to GitHub"},
    {"token:github-oauth", "gho_", Alphabet::alnum, 36, 255, "GitHub Docs, About authentication to GitHub"},
    {"token:github-user", "ghu_", Alphabet::alnum, 36, 255, "GitHub Docs, About authentication to GitHub"},
    {"token:github-server", "ghs_", Alphabet::alnum, 36, 255, "GitHub Docs, About authentication to GitHub"},
    {"token:github-refresh", "ghr_", Alphabet::alnum, 36, 255, "GitHub Docs, About authentication to GitHub"},
    {"token:github-fine-grained", "github_pat_", Alphabet::base64url, 60, 255,
     "GitHub Docs, About authentication to GitHub"},
    {"token:gitlab-personal", "glpat-", Alphabet::dotted, 20, 300, "GitLab Docs, Token overview: token prefixes"},
    {"token:gitlab-deploy", "gldt-", Alphabet::dotted, 20, 300, "GitLab Docs, Token overview: token prefixes"},
    {"token:gitlab-runner", "glrt-", Alphabet::dotted, 20, 300, "GitLab Docs, Token overview: token prefixes"},
    {"token:gitlab-job", "glcbt-", Alphabet::dotted, 20, 300, "GitLab Docs, Token overview: token prefixes"},
    {"token:gitlab-trigger", "glptt-", Alphabet::dotted, 20, 300, "GitLab Docs, Token overview: token prefixes"},
    {"token:gitlab-feed", "glft-", Alphabet::dotted, 20, 300, "GitLab Docs, Token overview: token prefixes"},
    {"token:gitlab-mail", "glimt-", Alphabet::dotted, 20, 300, "GitLab Docs, Token overview: token prefixes"},
    {"token:gitlab-agent", "glagent-", Alphabet::dotted, 40, 300, "GitLab Docs, Token overview: token prefixes"},
    {"token:gitlab-application", "gloas-", Alphabet::dotted, 40, 300, "GitLab Docs, Token overview: token prefixes"},
    {"token:gitlab-scim", "glsoat-", Alphabet::dotted, 20, 300, "GitLab Docs, Token overview: token prefixes"},
    {"token:npm", "npm_", Alphabet::alnum, 36, 64,
     "npm Docs, About access tokens; GitHub Changelog, npm has a new access token format"},
    {"token:pypi", "pypi-AgEI", Alphabet::base64url, 50, 500,
     "PyPI Help, API tokens; PyPI's macaroons begin with this location"},
    {"token:docker-personal", "dckr_pat_", Alphabet::base64url, 24, 64, "Docker Docs, Personal access tokens"},
    {"token:docker-organization", "dckr_oat_", Alphabet::base64url, 24, 64, "Docker Docs, Organization access tokens"},
    {"token:rubygems", "rubygems_", Alphabet::hex, 48, 48, "RubyGems Guides, API key scopes"},
    {"token:crates-io", "cio", Alphabet::alnum, 32, 32,
     "Rust Blog, crates.io security advisory on API tokens: the prefix"},
    {"token:aws-access-key", "AKIA", Alphabet::upper, 16, 16, "AWS IAM User Guide, Unique identifiers: prefixes"},
    {"token:aws-session-key", "ASIA", Alphabet::upper, 16, 16, "AWS IAM User Guide, Unique identifiers: prefixes"},
    {"token:google-api-key", "AIza", Alphabet::base64url, 35, 35,
     "Google Cloud, Manage API keys: the format of a key string"},
    {"token:google-client-secret", "GOCSPX-", Alphabet::base64url, 28, 28,
     "Google Identity, Using OAuth 2.0: the downloaded client file"},
    {"token:google-access-token", "ya29.", Alphabet::base64url, 40, 2048, "Google Cloud, Token types: access tokens"},
    {"token:google-refresh-token", "1//0", Alphabet::base64url, 40, 512,
     "Google Identity, OAuth 2.0 for web server applications: the refresh token"},
    {"token:alibaba-access-key", "LTAI", Alphabet::alnum, 12, 26, "Alibaba Cloud, Create an AccessKey pair"},
    {"token:tencent-secret-id", "AKID", Alphabet::alnum, 32, 32, "Tencent Cloud, Signature: SecretId"},
    {"token:scaleway-access-key", "SCW", Alphabet::upper, 17, 17, "Scaleway Docs, API keys"},
    {"token:exoscale-key", "EXO", Alphabet::hex, 24, 24, "Exoscale Docs, IAM API keys"},
    {"token:digitalocean-personal", "dop_v1_", Alphabet::hex, 64, 64,
     "DigitalOcean, Personal access tokens: the prefix"},
    {"token:digitalocean-oauth", "doo_v1_", Alphabet::hex, 64, 64, "DigitalOcean, Personal access tokens: the prefix"},
    {"token:digitalocean-refresh", "dor_v1_", Alphabet::hex, 64, 64,
     "DigitalOcean, Personal access tokens: the prefix"},
    {"token:cloudflare-origin", "v1.0-", Alphabet::base64url, 150, 200, "Cloudflare Docs, Origin CA keys"},
    {"token:heroku", "HRKU-", Alphabet::base64url, 36, 70, "Heroku Dev Center, OAuth: prefixed tokens"},
    {"token:fly", "fm2_", Alphabet::base64url, 60, 2000, "Fly.io Docs, Access tokens"},
    {"token:netlify", "nfp_", Alphabet::alnum, 36, 64, "Netlify Docs, Personal access tokens"},
    {"token:render", "rnd_", Alphabet::alnum, 26, 64, "Render Docs, API keys"},
    {"token:tailscale-auth", "tskey-auth-", Alphabet::base64url, 20, 100, "Tailscale Docs, Key prefixes"},
    {"token:tailscale-api", "tskey-api-", Alphabet::base64url, 20, 100, "Tailscale Docs, Key prefixes"},
    {"token:tailscale-client", "tskey-client-", Alphabet::base64url, 20, 100, "Tailscale Docs, Key prefixes"},
    {"token:vault-service", "hvs.", Alphabet::base64url, 24, 512, "HashiCorp Vault Docs, Tokens: token prefixes"},
    {"token:vault-batch", "hvb.", Alphabet::base64url, 24, 512, "HashiCorp Vault Docs, Tokens: token prefixes"},
    {"token:vault-recovery", "hvr.", Alphabet::base64url, 24, 512, "HashiCorp Vault Docs, Tokens: token prefixes"},
    {"token:dropbox", "sl.", Alphabet::dotted, 60, 2000, "Dropbox, OAuth guide: short-lived access tokens"},
    {"token:slack-bot", "xoxb-", Alphabet::base64url, 20, 200, "Slack API Docs, Token types"},
    {"token:slack-user", "xoxp-", Alphabet::base64url, 20, 200, "Slack API Docs, Token types"},
    {"token:slack-app", "xapp-", Alphabet::base64url, 20, 200, "Slack API Docs, Token types"},
    {"token:slack-configuration", "xoxe-", Alphabet::base64url, 20, 300, "Slack API Docs, Token types"},
    {"token:slack-legacy", "xoxa-", Alphabet::base64url, 20, 200, "Slack API Docs, Token types"},
    {"token:sendgrid", "SG.", Alphabet::dotted, 60, 80, "Twilio SendGrid Docs, API keys"},
    {"token:mailgun", "key-", Alphabet::hex, 32, 32, "Mailgun Docs, Authentication: API keys"},
    {"token:brevo", "xkeysib-", Alphabet::base64url, 70, 100, "Brevo API Docs, Authentication"},
    {"token:brevo-smtp", "xsmtpsib-", Alphabet::base64url, 70, 100, "Brevo Help, SMTP keys"},
    {"token:twilio-key", "SK", Alphabet::hex, 32, 32, "Twilio Docs, String identifiers: SK"},
    {"token:ntfy", "tk_", Alphabet::alnum, 29, 29, "ntfy Docs, Access tokens"},
    {"token:pushbullet", "o.", Alphabet::alnum, 32, 32, "Pushbullet API, Authentication"},
    {"token:stripe-secret", "sk_live_", Alphabet::alnum, 20, 120, "Stripe Docs, API keys"},
    {"token:stripe-restricted", "rk_live_", Alphabet::alnum, 20, 120, "Stripe Docs, API keys"},
    {"token:stripe-webhook", "whsec_", Alphabet::alnum, 24, 80, "Stripe Docs, Webhook signatures"},
    {"token:square-secret", "sq0csp-", Alphabet::base64url, 43, 43, "Square Docs, Access tokens and other credentials"},
    {"token:shopify-admin", "shpat_", Alphabet::hex, 32, 32, "Shopify Changelog, Length and prefix of access tokens"},
    {"token:shopify-secret", "shpss_", Alphabet::hex, 32, 32, "Shopify Changelog, Length and prefix of access tokens"},
    {"token:airtable", "pat", Alphabet::dotted, 79, 79, "Airtable Docs, Personal access tokens"},
    {"token:notion", "ntn_", Alphabet::alnum, 40, 60, "Notion Docs, Changelog: the prefix of tokens"},
    {"token:linear", "lin_api_", Alphabet::alnum, 40, 40, "Linear Docs, API keys"},
    {"token:figma", "figd_", Alphabet::base64url, 36, 64, "Figma Docs, Personal access tokens"},
    {"token:atlassian", "ATATT3", Alphabet::base64url, 100, 300, "Atlassian Support, API tokens"},
    {"token:bitbucket-app", "ATBB", Alphabet::alnum, 24, 40, "Atlassian Support, App passwords"},
    {"token:openai-project", "sk-proj-", Alphabet::base64url, 40, 200, "OpenAI Docs, API keys"},
    {"token:anthropic", "sk-ant-", Alphabet::base64url, 60, 150, "Anthropic Docs, API keys"},
    {"token:hugging-face", "hf_", Alphabet::alnum, 30, 48, "Hugging Face Docs, User access tokens"},
    {"token:groq", "gsk_", Alphabet::alnum, 48, 64, "Groq Docs, API keys"},
    {"token:replicate", "r8_", Alphabet::alnum, 37, 40, "Replicate Docs, API tokens"},
    {"token:grafana-service", "glsa_", Alphabet::base64url, 40, 60, "Grafana Docs, Service accounts"},
    {"token:grafana-cloud", "glc_", Alphabet::alnum, 40, 400, "Grafana Docs, Access policies"},
    {"token:sentry-organization", "sntrys_", Alphabet::base64url, 60, 400, "Sentry Docs, Auth tokens"},
    {"token:sentry-user", "sntryu_", Alphabet::hex, 64, 64, "Sentry Docs, Auth tokens"},
    {"token:new-relic", "NRAK-", Alphabet::upper, 27, 27, "New Relic Docs, API keys"},
    {"token:dynatrace", "dt0c01.", Alphabet::dotted, 80, 100, "Dynatrace Docs, Access tokens: token format"},
    {"token:databricks", "dapi", Alphabet::hex, 32, 36, "Databricks Docs, Personal access tokens"},
    {"token:planetscale", "pscale_pw_", Alphabet::base64url, 32, 64, "PlanetScale Docs, Passwords"},
    {"token:supabase", "sbp_", Alphabet::hex, 40, 40, "Supabase Docs, Management API: access tokens"},
    {"token:doppler", "dp.pt.", Alphabet::alnum, 40, 44, "Doppler Docs, Auth token formats"},
    {"token:pulumi", "pul-", Alphabet::hex, 40, 40, "Pulumi Docs, Access tokens"},
    {"token:sonarqube", "squ_", Alphabet::hex, 40, 40, "Sonar Docs, Managing tokens"},
    {"token:circleci", "CCIPAT_", Alphabet::base64url, 40, 100, "CircleCI Docs, Managing API tokens"},
    {"token:buildkite", "bkua_", Alphabet::hex, 40, 40, "Buildkite Docs, Managing API access tokens"},
    {"token:posthog", "phx_", Alphabet::alnum, 40, 60, "PostHog Docs, API: personal keys"},
    {"token:onepassword", "ops_eyJ", Alphabet::base64url, 100, 4000, "1Password Developer, Service accounts"},
    {"token:age", "AGE-SECRET-KEY-1", Alphabet::upper, 58, 58, "age's specification, C2SP: the identity"},
};

bool belongs(TokenAlphabet alphabet, char c) {
  switch (alphabet) {
    case TokenAlphabet::alnum:
      return base::is_alnum(c);
    case TokenAlphabet::hex:
      return base::is_digit(c) || (c >= 'a' && c <= 'f');
    case TokenAlphabet::upper:
      return base::is_digit(c) || base::is_upper(c);
    case TokenAlphabet::base64url:
      return base::is_alnum(c) || c == '_' || c == '-';
    case TokenAlphabet::dotted:
      return base::is_alnum(c) || c == '_' || c == '-' || c == '.';
  }
  return false;
}

}  // namespace

std::span<const TokenFormat> token_formats() { return formats; }

std::string_view token_at(std::string_view text, std::size_t at, const TokenFormat& format) {
  if (text.substr(at, format.prefix.size()) != format.prefix) return {};
  const std::size_t begin = at + format.prefix.size();
  const std::size_t limit = std::min(text.size(), begin + format.most + 1);
  std::size_t end = begin;
  while (end < limit && belongs(format.alphabet, text[end])) ++end;
  // A period may follow at the end of a sentence.
  if (end < text.size() && base::is_alnum(text[end])) return {};
  const std::string_view rest = text.substr(begin, end - begin);
  if (rest.size() < format.least || rest.size() > format.most) return {};
  std::bitset<256> different;
  std::size_t digits = 0;
  for (const char c : rest) {
    different.set(static_cast<std::uint8_t>(c));
    digits += base::is_digit(c) ? 1 : 0;
  }
  constexpr std::size_t enough = 7;
  if (different.count() < enough || digits == 0 || digits == rest.size()) return {};
  return text.substr(at, end - at);
}

}  // namespace tapedeck::scan
