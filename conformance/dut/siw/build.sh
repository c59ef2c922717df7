#!/bin/bash
# build.sh [WORKDIR]: builds the bootable siw guest from Debian packages, without root and without installing anything.
# WORKDIR (default: build/siw of the project, or siw-SUITE with KERNEL) then contains vmlinuz, initramfs.cpio.gz and packages.txt, the exact versions
# and hashes inside. A second run does nothing if everything is up to date. Debian leaves CONFIG_RDMA_SIW off, so the driver
# is compiled from Debian's linux-source against the linux-headers of the kernel that boots.
#   GUEST_PROGRAMS="FILE..."  more programs for /bin of the guest, with their libraries (see boot.sh exec); a name without a
#                 slash is a program of GUEST_PACKAGES
#   GUEST_PACKAGES="NAME..."  more Debian packages that have these programs or libraries (libasan8 libubsan1 for a debug build)
#   GUEST_MODULES="NAME..."   more modules of the kernel's package, which the guest loads when it boots
#   KERNEL=SUITE  the kernel of this Debian suite (bookworm, bookworm-backports) from the host's mirror; default: the one that apt
#                 knows on this host. Its build tools must run on this host
# Exit code: 0 built or up to date, 3 environment.
set -euo pipefail
export LC_ALL=C TZ=UTC
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
read -ra programs <<<"${GUEST_PROGRAMS:-}"

die() { echo "siw guest: $*" >&2; exit 3; }
say() { printf 'siw guest: %3d s  %s\n' "$SECONDS" "$*"; }

# Each tool with its package, so that one message names all missing packages.
missing=() packages=()
need() { command -v "$1" >/dev/null 2>&1 || { missing+=("$1 (package $2)"); packages+=("$2"); }; }
report_missing() {
  [ ${#missing[@]} -eq 0 ] && return
  printf 'siw guest: missing on this host: %s\n' "${missing[@]}" >&2
  die "get them with: apt-get install --no-install-recommends $(printf '%s\n' "${packages[@]}" | sort -u | tr '\n' ' ')"
}

# ---- the kernel's package lists -----------------------------------------------------------------------------------------
# A separate apt for the suite, in the folder apt: it keeps the host's proxies and trusted keys, and changes nothing of the host.
kernel_apt=()
read_suite() {
  local mirror security
  # shellcheck disable=SC2016  # apt inserts the address
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 2>/dev/null | grep '/debian/$' | sed -n 1p)
  [ -n "$mirror" ] || die "apt knows no Debian mirror on this host"
  mkdir -p apt/lists/partial apt/archives/partial
  : >apt/status
  echo "deb $mirror $KERNEL main" >apt/sources.list
  # The current kernel of a stable suite is the one with security updates.
  # shellcheck disable=SC2016  # apt inserts the address
  security=$(apt-get indextargets --format '$(REPO_URI)' 2>/dev/null | grep '/debian-security/$' | sed -n 1p)
  case $KERNEL in
    *-* | sid | unstable | testing) ;;
    *) [ -z "$security" ] || echo "deb $security $KERNEL-security main" >>apt/sources.list ;;
  esac
  cat >apt/conf <<CONF
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
#clear APT::Default-Release;
Dir::Etc::sourcelist "$PWD/apt/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::Etc::preferences "/dev/null";
Dir::Etc::preferencesparts "/dev/null";
Dir::State "$PWD/apt";
Dir::State::status "$PWD/apt/status";
Dir::Cache "$PWD/apt";
APT::Sandbox::User "root";
Acquire::Languages "none";
Acquire::Retries "3";
APT::Update::Error-Mode "any";
CONF
  kernel_apt=(-c "$PWD/apt/conf")
  apt-get "${kernel_apt[@]}" -qq update >apt/log 2>&1 || die "no package lists of $KERNEL: $(grep -m1 '^E:' apt/log)"
}

# ---- the versions, from the package lists -------------------------------------------------------------------------------
# Finds the kernel and the compiler of its Debian package, which must also compile the module.
find_kernel() {
  kernel=$(apt-cache "${kernel_apt[@]}" depends linux-image-amd64 | sed -n 's/.*Depends: linux-image-\([0-9].*-amd64\)$/\1/p' | head -1)
  [ -n "$kernel" ] || die "apt knows no linux-image-amd64: run apt-get update (an amd64 Debian is needed)"
  local needs; needs=$(apt-cache "${kernel_apt[@]}" depends "linux-headers-$kernel")
  series=$(sed -n 's/.*Depends: linux-kbuild-\([0-9].*\)$/\1/p' <<<"$needs" | head -1)
  compiler=$(sed -n 's/.*Depends: .*\(gcc-[0-9]*\).*/\1/p' <<<"$needs" | head -1)
}

# The programs of the guest and the lib* packages that they depend on; link_libraries copies only the libraries in use.
guest_packages() {
  local now before=
  # shellcheck disable=SC2086  # one package name per word
  now=$(printf '%s\n' busybox-static iproute2 rdmacm-utils ibverbs-providers libjansson4 ${GUEST_PACKAGES:-} | sort)
  while [ "$now" != "$before" ]; do
    before=$now
    # shellcheck disable=SC2086  # one package name per word
    now=$({ echo "$before"; apt-cache depends -i $before | sed -nE 's/^ *\|?(Pre)?Depends: (lib[^ ]*)$/\2/p'; } | sort -u)
  done
  echo "$now"
}

fetch() { # the candidate version of each missing package; writes packages.txt
  local version spec name names file wanted=() list=()
  version=$(apt-cache "${kernel_apt[@]}" policy "linux-image-$kernel" | sed -n 's/.*Candidate: //p')
  names=$(guest_packages)
  # In Debian 13's newer kernels linux-image only depends on the packages of the kernel and of its modules.
  local parts=("linux-image-$kernel")
  mapfile -t -O 1 parts < <(apt-cache "${kernel_apt[@]}" depends "linux-image-$kernel" |
    sed -nE 's/^ *Depends: (linux-(base|binary|modules)-.*)$/\1/p')
  # A mirror may have the build tools of the next version before its signed kernel, and no longer those of this version.
  local tools=$version
  apt-cache "${kernel_apt[@]}" madison "linux-kbuild-$series" | grep -qF " | $version | " ||
    tools=$(apt-cache "${kernel_apt[@]}" policy "linux-kbuild-$series" | sed -n 's/.*Candidate: //p')
  list+=("linux-kbuild-$series=$tools")
  for name in "${parts[@]}" "linux-headers-$kernel" "linux-headers-${kernel%-amd64}-common" \
    "linux-source-$(grep -oE '^[0-9]+\.[0-9]+' <<<"$series")"; do list+=("$name=$version"); done
  local kernel_count=${#list[@]} kernel_wanted=()
  # shellcheck disable=SC2086
  mapfile -t -O ${#list[@]} list < <(apt-cache policy $names | awk '/^[^ ]/ {sub(/:.*/, ""); p = $1} /Candidate:/ {print p "=" $2}')
  mkdir -p debs
  for spec in "${list[@]:0:kernel_count}"; do [ -n "$(deb "$spec")" ] || kernel_wanted+=("$spec"); done
  for spec in "${list[@]:kernel_count}"; do [ -n "$(deb "$spec")" ] || wanted+=("$spec"); done
  download "${kernel_apt[@]}" -- "${kernel_wanted[@]}"
  download -- "${wanted[@]}"
  for file in debs/*.deb; do # packages of earlier versions
    for spec in "${list[@]}"; do [ "$(deb "$spec")" != "$file" ] || continue 2; done
    rm "$file"
  done
  for spec in "${list[@]}"; do
    echo "$spec $(sha256sum "$(deb "$spec")" | cut -d' ' -f1)"
  done >packages.txt
}
download() { # [OPTION...] -- NAME=VERSION...
  local options=()
  while [ "$1" != -- ]; do options+=("$1"); shift; done
  shift
  [ $# -gt 0 ] || return 0
  (cd debs && apt-get "${options[@]}" -q download "$@") >download.log 2>&1 ||
    die "apt-get download: $(grep '^E:' download.log | head -1)"
}
deb() { # the file of NAME=VERSION if it is here; apt writes colons as %3a, and the architecture last
  local version=${1#*=}
  compgen -G "debs/${1%%=*}_${version//:/%3a}_*.deb"
}

# ---- the driver ---------------------------------------------------------------------------------------------------------
build_driver() {
  rm -rf headers driver; mkdir headers driver
  local f tree
  for f in debs/linux-headers-"${kernel%-amd64}"-* debs/linux-kbuild-"$series"_*; do dpkg-deb -x "$f" headers; done
  dpkg-deb --fsys-tarfile debs/linux-source-*.deb | tar -xO --wildcards './usr/src/linux-source-*.tar.xz' |
    tar -xJ -C driver --strip-components=5 --wildcards '*/drivers/infiniband/sw/siw/*'
  tree=$PWD/headers/usr/src/linux-headers-$kernel
  sed -i "s#/usr/src/linux-headers#$PWD/headers&#" "$tree/Makefile" # it refers to its common half by an installed path
  # BTF of modules needs pahole, and the guest does not.
  make -C "$tree" M="$PWD/driver" CONFIG_RDMA_SIW=m CONFIG_DEBUG_INFO_BTF_MODULES= KCFLAGS="-ffile-prefix-map=$PWD=." -j"$(nproc)" modules >driver.log 2>&1 ||
    die "siw.ko does not compile: $(grep -m1 -iE 'error|\*\*\*' driver.log) (see $PWD/driver.log)"
  strip -g driver/siw.ko
}

# ---- the root file system -----------------------------------------------------------------------------------------------
# Copies module $1 after its dependencies, and appends it to the list that init loads in order.
add_module() {
  local name=${1//-/_} file needs
  grep -qx "$name" tree/modules/order && return
  file=$(grep -m1 "/${name//_/[-_]}\.ko" modules.list) || {
    # Debian 13 has moved the modules below usr.
    grep -qs "/${name//_/[-_]}\.ko" stage/{,usr/}lib/modules/*/modules.builtin && return
    die "the kernel package has no module $name"
  }
  case $file in *.xz) xz -dc "$file" ;; *) cat "$file" ;; esac >"tree/modules/$name.ko"
  needs=$(objcopy -O binary --only-section=.modinfo "tree/modules/$name.ko" /dev/stdout | tr '\0' '\n' | sed -n 's/^depends=//p')
  for needed in ${needs//,/ }; do add_module "$needed"; done
  echo "$name" >>tree/modules/order
}

# Adds the shared libraries that the programs and libraries in the tree need, recursively.
link_libraries() {
  local lib=tree/usr/lib/x86_64-linux-gnu todo next f so from
  todo=$(find tree/bin "$lib" -type f)
  while [ -n "$todo" ]; do
    next=
    for f in $todo; do
      for so in $(objdump -p "$f" 2>/dev/null | awk '/NEEDED/ {print $2}'); do
        [ -e "$lib/$so" ] && continue
        from=$(find stage \( -type f -o -type l \) -name "$so" | head -1)
        [ -n "$from" ] || die "no package of the guest has $so, which $f needs"
        cp -L "$from" "$lib/$so"; next+=" $lib/$so"
      done
    done
    todo=$next
  done
}

build_tree() {
  rm -rf stage tree; mkdir -p stage tree/{bin,lib64,modules,etc,proc,sys,dev,tmp,run} tree/usr/lib/x86_64-linux-gnu/libibverbs
  local spec _ program file applet
  while read -r spec _; do
    case $spec in linux-headers-* | linux-kbuild-* | linux-source-*) ;; *) dpkg-deb -x "$(deb "$spec")" stage ;; esac
  done <packages.txt
  for program in busybox rdma rping "${programs[@]}"; do
    case $program in */*) file=$program ;; *) file=$(find stage -type f -name "$program" -path '*bin/*' | head -1) ;; esac
    [ -n "$file" ] || die "no package of the guest has the program $program"
    cp -L "$file" tree/bin/
  done
  for applet in $(tree/bin/busybox --list); do [ -e "tree/bin/$applet" ] || ln -s busybox "tree/bin/$applet"; done
  # Not in any NEEDED entry: the loader, siw's half of libibverbs, and the library that ends a thread of rping.
  cp -L "$(find stage -name ld-linux-x86-64.so.2 | head -1)" tree/lib64/
  cp -L "$(find stage -name 'libsiw-rdmav*.so' | head -1)" tree/usr/lib/x86_64-linux-gnu/libibverbs/
  cp -L "$(find stage -name libgcc_s.so.1 | head -1)" tree/usr/lib/x86_64-linux-gnu/
  mkdir tree/etc/libibverbs.d; cp stage/etc/libibverbs.d/siw.driver tree/etc/libibverbs.d/
  link_libraries
  ln -s usr/lib tree/lib

  find stage/lib/modules stage/usr/lib/modules -name '*.ko*' >modules.list 2>/dev/null || true
  echo driver/siw.ko >>modules.list
  : >tree/modules/order
  local hash module hashes=()
  for hash in crc32c sha256 sha512; do # whose modules have other names since Linux 6.16
    for module in "${hash}_generic" "${hash}_cryptoapi" "$hash"; do
      grep -qs "/${module//_/[-_]}\.ko" modules.list stage/{,usr/}lib/modules/*/modules.builtin || continue
      hashes+=("$module")
      break
    done
  done
  for module in virtio_pci virtio_net "${hashes[@]}" ib_uverbs rdma_ucm siw tcp_diag algif_hash ${GUEST_MODULES:-}; do
    add_module "$module"
  done
  echo 'root:x:0:0:root:/:/bin/sh' >tree/etc/passwd
  cp "$here/guest/agent-token" tree/etc/
  cp "$here/guest/init" tree/init; cp "$here/guest/fresh" tree/bin/fresh; chmod 755 tree/init tree/bin/fresh
}

pack() { # names sorted and times zeroed: the same packages give the same octets
  find tree -exec touch -h -d @0 {} +
  (cd tree && find . | sort | cpio -o -H newc --quiet --reproducible -R 0:0) | gzip -n >initramfs.part
  mv initramfs.part initramfs.cpio.gz
  cp "$(find stage -name "vmlinuz-$kernel" -o -path "*/modules/$kernel/vmlinuz")" vmlinuz
}

# ---- main ---------------------------------------------------------------------------------------------------------------
files=()
for program in "${programs[@]}"; do
  case $program in */*) [ -f "$program" ] || die "GUEST_PROGRAMS: no file $program"; files+=("$program") ;; esac
done
state=$(echo "${KERNEL:-} ${programs[*]} ${GUEST_PACKAGES:-} ${GUEST_MODULES:-}"; sha256sum "$here/build.sh" "$here"/guest/* "${files[@]}")
workdir=${1:-$root/build/siw${KERNEL:+-$KERNEL}}
{ mkdir -p "$workdir" && cd "$workdir" && [ -w . ]; } || die "cannot write to $workdir"
exec 9>lock
flock 9 # two tests may begin at the same time
case $PWD in *[[:space:]:#]*) die "make cannot work in a folder named $PWD" ;; esac
if [ -s vmlinuz ] && [ -s initramfs.cpio.gz ] && [ "$state" = "$(cat state 2>/dev/null)" ]; then exit 0; fi
rm -f state

need apt-get apt; need apt-cache apt; need dpkg-deb dpkg
report_missing
[ -z "${KERNEL:-}" ] || read_suite
find_kernel
need "$compiler" "$compiler"; need make make; need objcopy binutils; need cpio cpio; need xz xz-utils
need qemu-system-x86_64 qemu-system-x86 # not for the build, but to boot the guest
[[ $(PATH=$PATH:/sbin:/usr/sbin ldconfig -p) == *libelf.so.1* ]] || { missing+=("libelf.so.1 (package libelf1)"); packages+=(libelf1); }
report_missing

fetch; say "packages of $kernel are here"
build_driver; say "siw.ko compiled"
build_tree; pack; say "initramfs packed: $(stat -c %s initramfs.cpio.gz) octets in $PWD"
rm -rf headers driver stage tree modules.list apt
echo "$state" >state
