import re
src=open('fizzle.body').read()
reserved=open('/tmp/reserved').read().split()
ks=sorted(set(re.findall(r'\bk_([a-z]+)\b',src)))
special={'player_':'player'}
out=src+"\n// Words of the language, each not followed by a further letter.\n\n"
for k in ks:
    out+='k_%s = @{ "%s" ~ !after }\n'%(k,k)
rs=sorted(reserved,key=lambda w:(-len(w),w))
lines=[];cur="   "
for i,w in enumerate(sorted(reserved)):
    t=(" | " if i else " ")+'"%s"'%w
    if len(cur)+len(t)>120: lines.append(cur);cur="   "
    cur+=t
lines.append(cur)
out+="\n// `any` is tried before `and…` fails only because each word must end where the literal ends.\n"
out+="reserved = @{ (\n"+"\n".join(lines)+"\n  ) ~ !after }\n"
open('fizzle.pest','w').write(out)
