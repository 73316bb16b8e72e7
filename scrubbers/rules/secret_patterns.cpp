#include "scrubbers/rules/secret_patterns.h"

namespace tapedeck::scrubbers {
namespace {

using Class = SecretClass;

// A slash is `\\?/`, as JSON may write it.
constexpr PatternRow pattern_rows[] = {
    {"body-sid", R"(_sid=([A-Za-z0-9._~%+/-]{6,}))", Class::session_id, true, Values::any, true,
     "a session id in a URL"},
    {"body-synotoken", R"(SynoToken=([A-Za-z0-9._~%+/-]{6,}))", Class::csrf_token, true, Values::any, true,
     "a CSRF token in a URL"},
    {"body-rtsp", R"(rtsps?:(?:\\?/){2}([^/@:\s"'<>]+)@)", Class::password, true, Values::phrase, true,
     "credentials in the URL of a camera"},
    {"body-rtsp-user", R"(rtsps?:(?:\\?/){2}([^/@:\s"'<>]+):[^/@\s"'<>]*@)", Class::secret, false, Values::phrase, true,
     "the account of a camera in its URL"},
    {"body-url-password", R"([A-Za-z][A-Za-z0-9+.-]*:(?:\\?/){2}[^/@:\s"'<>\\?#]*:([^/@\s"'<>\\?#]+)@)",
     Class::password, true, Values::phrase, true, "a password in a URL"},
    {"body-url-token", R"([A-Za-z][A-Za-z0-9+.-]*:(?:\\?/){2}([A-Za-z0-9_.~%-]{16,})(?::x-oauth-basic)?@)",
     Class::token, true, Values::id, true, "a token in place of the user of a URL"},
    {"body-webhook",
     R"(https?:(?:\\?/){2}[^\s"'<>?#]{0,200}?(?:hooks?|hookb2|hooks\\?/catch|hooks\.slack\.com\\?/services|with\\?/key))"
     R"(\\?/((?:[A-Za-z0-9_.:@~%+=-]|\\?/){16,}))",
     Class::secret, true, Values::id, true, "the address of a web hook, which allows posting"},
    {"body-telegram", R"(api\.telegram\.org\\?/bot([0-9]{6,}:[A-Za-z0-9_-]{30,}))", Class::token, true, Values::any,
     false, "a bot's token in its address"},
    {"body-url-key", R"([?&;]key=([A-Za-z0-9_-]{20,}))", Class::token, true, Values::id, true,
     "the key of another service in a URL"},
    {"body-jwt", R"(eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,})", Class::token, true, Values::any,
     false, "a JSON web token"},
    {"body-bearer", R"([Bb]earer ([A-Za-z0-9._~+/=-]{12,}))", Class::token, true, Values::token, false,
     "a bearer's token"},
    {"body-crypt",
     R"(\$(?:1|2[abxy]|5|6|7|y|gy|apr1|argon2id|argon2i|argon2d|pbkdf2[a-z0-9-]*|scrypt|bcrypt-sha256))"
     R"(\$(?:[./A-Za-z0-9,=$+-]|\\/){16,})",
     Class::secret, false, Values::any, false, "a hash, from which a password can be guessed"},
    {"body-ldap-hash", R"(\{(?:S?SHA(?:256|384|512)?|SMD5|MD5|CRYPT)\}((?:[A-Za-z0-9+/=$.]|\\/){20,}))", Class::secret,
     false, Values::any, false, "a hash, from which a password can be guessed"},
    {"body-share-link",
     R"((?:sharing|fbsharing|fsdownload|gofile\.me\\?/[A-Za-z0-9]{3,}|d\\?/[sf]|oo\\?/[rd])\\?/)"
     R"(([A-Za-z0-9_-]{6,}(?:\\?/[A-Za-z0-9_-]{12,})?))",
     Class::secret, true, Values::code, false, "the address of a share, which grants read access"},
    {"body-private-key",
     R"(BEGIN (?:[A-Z0-9]{1,12} )?PRIVATE KEY(?: BLOCK)?-----((?:[^-]|-{1,4}[^-]){16,}-{0,4})(?:-----END|\z))",
     Class::secret, false, Values::any, false, "a private key as PEM, OpenSSH's and PGP's too"},
    {"body-putty-key", R"(Private-Lines: [0-9]+([A-Za-z0-9+/=\s\\]{16,}))", Class::secret, false, Values::any, false,
     "a private key as PuTTY writes it"},
    {"body-openvpn-key",
     R"(BEGIN OpenVPN (?:Static key V1|tls-crypt-v2 client key|tls-crypt-v2 server key)-----)"
     R"(([^-]{16,}))",
     Class::secret, false, Values::any, false, "a static key of OpenVPN"},
    {"body-age-key", R"(AGE-SECRET-KEY-1[0-9A-Z]{50,})", Class::secret, false, Values::any, false, "a key of age"},
    {"body-pkcs8-key", R"(MII[A-Za-z0-9+/]{3,5}IBADANBgkqhkiG9w0BAQEFAA(?:[A-Za-z0-9+/=\s\\]){64,})", Class::secret,
     false, Values::any, false, "a private key in base64"},
    {"body-pkcs12-key", R"(MII[A-Za-z0-9+/]{3}IBAzCC(?:[A-Za-z0-9+/=\s\\]){64,})", Class::secret, false, Values::any,
     false, "a key container in base64"},
};

// No more than AnchorSet::most_at_once texts without a `$` in front.
constexpr Anchor anchors[] = {{"body-sid", "_sid=", 0},
                              {"body-synotoken", "SynoToken=", 0},
                              {"body-rtsp", "rtsp", 0},
                              {"body-rtsp-user", "rtsp", 0},
                              {"body-url-password", "://", 16},
                              {"body-url-password", R"(:\/\/)", 16},
                              {"body-url-token", "://", 16},
                              {"body-url-token", R"(:\/\/)", 16},
                              {"body-webhook", "://", 5},
                              {"body-webhook", R"(:\/\/)", 5},
                              {"body-telegram", "api.telegram.org", 0},
                              {"body-url-key", "key=", 1},
                              {"body-jwt", "eyJ", 0},
                              {"body-bearer", "earer ", 1},
                              {"body-crypt", "$1$", 0},
                              {"body-crypt", "$2a$", 0},
                              {"body-crypt", "$2b$", 0},
                              {"body-crypt", "$2x$", 0},
                              {"body-crypt", "$2y$", 0},
                              {"body-crypt", "$5$", 0},
                              {"body-crypt", "$6$", 0},
                              {"body-crypt", "$7$", 0},
                              {"body-crypt", "$y$", 0},
                              {"body-crypt", "$gy$", 0},
                              {"body-crypt", "$apr1$", 0},
                              {"body-crypt", "$argon2", 0},
                              {"body-crypt", "$pbkdf2", 0},
                              {"body-crypt", "$scrypt$", 0},
                              {"body-crypt", "$bcrypt-sha256$", 0},
                              {"body-ldap-hash", "{SSHA", 0},
                              {"body-ldap-hash", "{SHA", 0},
                              {"body-ldap-hash", "{SMD5}", 0},
                              {"body-ldap-hash", "{MD5}", 0},
                              {"body-ldap-hash", "{CRYPT}", 0},
                              {"body-share-link", "sharing/", 0},
                              {"body-share-link", R"(sharing\/)", 0},
                              {"body-share-link", "fsdownload", 0},
                              {"body-share-link", "gofile.me", 0},
                              {"body-share-link", "d/s/", 0},
                              {"body-share-link", R"(d\/s\/)", 0},
                              {"body-share-link", "d/f/", 0},
                              {"body-share-link", R"(d\/f\/)", 0},
                              {"body-share-link", "oo/r/", 0},
                              {"body-share-link", R"(oo\/r\/)", 0},
                              {"body-share-link", "oo/d/", 0},
                              {"body-share-link", R"(oo\/d\/)", 0},
                              {"body-private-key", "BEGIN ", 0},
                              {"body-putty-key", "Private-Lines:", 0},
                              {"body-openvpn-key", "BEGIN ", 0},
                              {"body-age-key", "AGE-SECRET-KEY-1", 0},
                              {"body-pkcs8-key", "IBADANBgkqhkiG9w0BAQEFAA", 8},
                              {"body-pkcs12-key", "IBAzCC", 6}};

}  // namespace

std::span<const PatternRow> secret_patterns() { return pattern_rows; }
std::span<const Anchor> shipped_anchors() { return anchors; }

}  // namespace tapedeck::scrubbers
