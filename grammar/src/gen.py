import re
src=open('fizzle.body').read()
reserved=open('/tmp/reserved').read().split()
ks=sorted(set(re.findall(r'\bk_([a-z]+)\b',src)))
special={'player_':'player'}
out=src+"\n// Words of the language, each not followed by a further letter.\n\n"
for k in ks:
    out+='k_%s = @{ "%s" ~ !after }\n'%(k,k)
letters={}
for w in sorted(reserved,key=lambda w:(-len(w),w)): letters.setdefault(w[0],[]).append(w[1:])
out+="\n// By first letter, the longest first: a choice that has matched `other` does not come back for `otherwise`.\n// + otherwise\n// + its\n// - item\n"
alts=[]
for l in sorted(letters):
    alts.append('"%s" ~ (%s)'%(l," | ".join('"%s"'%t for t in letters[l])) if len(letters[l])>1 else '"%s%s"'%(l,letters[l][0]))
out+="reserved = @{ (\n    "+"\n  | ".join(alts)+"\n  ) ~ !after }\n"
open('fizzle.pest','w').write(out)
