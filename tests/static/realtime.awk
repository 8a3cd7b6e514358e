# Lists the functions whose doc comment contains @rt: "header:line<TAB>name<TAB>noexcept|throwing" each.
# A member is named Class::function (the innermost class), a free function by its bare name; overloads share a name.
# It follows braces, parentheses and doc comments; that is enough for the way the headers are written (clang-format).

function without_templates(text,    out, depth, i, c, start) {
    while (match(text, /(^|[ \t])template *</)) {
        start = RSTART
        depth = 0
        for (i = RSTART + RLENGTH - 1; i <= length(text); ++i) {
            c = substr(text, i, 1)
            if (c == "<") ++depth
            if (c == ">" && --depth == 0) break
        }
        text = substr(text, 1, start - 1) " " substr(text, i + 1)
    }
    gsub(/\[\[[^]]*\]\]/, " ", text)
    sub(/^[ \t]+/, "", text)
    return text
}

# The name before the first parenthesis that opens a parameter list; sets `tail` to what follows the list.
function function_name(text,    i, j, c, depth, word, before) {
    if (match(text, /operator *\( *\) *\(/)) {
        tail = substr(text, RSTART + RLENGTH)
        return "operator()"
    }
    for (i = 1; i <= length(text); ++i) {
        if (substr(text, i, 1) != "(") continue
        before = substr(text, 1, i - 1)
        sub(/[ \t]+$/, "", before)
        depth = 0
        for (j = i; j <= length(text); ++j) {
            c = substr(text, j, 1)
            if (c == "(") ++depth
            if (c == ")" && --depth == 0) break
        }
        if (match(before, /operator *[^A-Za-z0-9_ ]+$/)) {
            word = substr(before, RSTART)
            gsub(/ /, "", word)
        } else if (match(before, /[A-Za-z_~][A-Za-z0-9_]*$/)) {
            word = substr(before, RSTART)
        } else {
            word = "requires"
        }
        if (word !~ /^(requires|decltype|noexcept|alignas|sizeof|explicit)$/) {
            tail = substr(text, j + 1)
            return word
        }
        i = j
    }
    return ""
}

# True if the brace after this text opens a requires-expression and not a body.
function opens_requirement(text,    i, c, depth) {
    sub(/[ \t]+$/, "", text)
    if (text ~ /\)$/) {
        depth = 0
        for (i = length(text); i > 0; --i) {
            c = substr(text, i, 1)
            if (c == ")") ++depth
            if (c == "(" && --depth == 0) break
        }
        text = substr(text, 1, i - 1)
        sub(/[ \t]+$/, "", text)
    }
    return text ~ /(^|[^A-Za-z_])requires$/
}

function without_parentheses(text) {
    while (gsub(/\([^()]*\)/, " ", text)) {}
    return text
}

function finish(opens,    text, name, class, i, rt, bare) {
    text = without_templates(statement)
    bare = without_parentheses(text)
    rt = documentation ~ /@rt([^A-Za-z_-]|$)/ && documentation !~ /@file/
    kind = "other"
    if (text ~ /^(inline )?namespace/) {
        kind = "namespace"
    } else if (bare !~ /enum / && match(bare, /(^|[ \t])(class|struct|union) +[A-Za-z_][A-Za-z0-9_]*( *$| *[:<]| final)/)) {
        name = substr(bare, RSTART, RLENGTH)
        sub(/( final| *[:<]| *)$/, "", name)
        sub(/.* /, "", name)
        kind = "class " name
        if (rt && documentation ~ /@rt *$/) print FILENAME ":" line_of_documentation "\t" name "\tclass"
    } else if (rt && text ~ /\(/ && text !~ /^concept /) {
        name = function_name(text)
        for (i = scopes; i > 0; --i)
            if (scope[i] ~ /^class /) {
                class = substr(scope[i], 7)
                name = class "::" name
                break
            }
        print FILENAME ":" line_of_documentation "\t" name "\t" (tail ~ /(^|[^A-Za-z_])noexcept/ ? "noexcept" : "throwing")
    }
    statement = ""
    documentation = ""
    if (opens) scope[++scopes] = kind
}

FNR == 1 {
    scopes = parentheses = 0
    statement = documentation = ""
}

/^[ \t]*\/\/\/($|[^<\/])/ {
    if (documentation == "") line_of_documentation = FNR
    documentation = documentation " " $0
    next
}
/^[ \t]*\/\// || /^[ \t]*#/ { next }
/^[ \t]*$/ {
    if (statement == "") documentation = ""
    next
}
{
    line = $0
    gsub(/\\./, "", line)
    gsub(/"[^"]*"/, "\"\"", line)
    gsub(/'[^']'/, "0", line)
    sub(/\/\/.*/, "", line)
    if (line ~ /^[ \t]*(public|private|protected):/) sub(/^[ \t]*[a-z]+:/, "", line)
    for (k = 1; k <= length(line); ++k) {
        c = substr(line, k, 1)
        if (c == "(") ++parentheses
        if (c == ")") --parentheses
        if (parentheses > 0) {
            statement = statement c
        } else if (c == "{") {
            if (opens_requirement(statement)) {
                scope[++scopes] = "requirement"
                kept[scopes] = statement
                kept_documentation[scopes] = documentation
                statement = documentation = ""
            } else {
                finish(1)
            }
        } else if (c == "}") {
            if (scope[scopes] == "requirement") {
                statement = kept[scopes] " 1"
                documentation = kept_documentation[scopes]
            } else {
                statement = documentation = ""
            }
            if (scopes > 0) --scopes
        } else if (c == ";") {
            if (scope[scopes] == "other" || scope[scopes] == "requirement") statement = documentation = ""
            else finish(0)
        } else {
            statement = statement c
        }
    }
    statement = statement " "
}
