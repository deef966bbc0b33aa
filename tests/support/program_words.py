"""What the scripts that draw programs share: the language's statements."""
KIB, MIB = 1 << 10, 1 << 20


def repeat(count, body, unroll=1, timed=False):
    head = f'    repeat {count}' + (f' unroll={unroll}' if unroll > 1 else '')
    head += ' time=region region=measure' if timed else ''
    return head + '\n' + ''.join(f'      {i}\n' for i in body) + '    end\n'


def launch(name, *roles):
    return f'launch {name}\n' + ''.join(f'  role {r}' for r in roles)


def rounded(count, unroll, least=1):
    return max(unroll, int(max(count, least)) // unroll * unroll)


def write(folder, name, buffers, launches):
    with open(f'{folder}/{name}.txt', 'w') as out:
        out.write(f'nearfar-program 1\nname {name}\nseed 1\n' +
                  ''.join(f'buffer {b}\n' for b in buffers) +
                  ''.join(launches))
