import { describeSpellings } from "./spellings.test-suite.ts";

/** Each row is one rule in one spelling. */
const DENIED = String.raw`
rm -rf //
rm -rf /./
rm -rf /*
rm -rf /?*
rm -rf /[a-z]*
rm -rf ''/
rm / -rf
rm -r / -f
rm -vrf /
rm -r --force /
rm --recursive -f /
rm -r --no-preserve-root /
rm -r /
rm -I -rf /
rm -rf ~/
rm -rf ~/.*
rm -rf ~bob/x
rm -rf ~+
rm -rf $HOME
rm -rf $HOME/*
rm -rf $PWD
rm -rf $PWD/..
rm -rf $OLDPWD
rm -rf "$(pwd)/.."
rm -rf .
rm -rf ./.
rm -rf ./.*
rm -rf ..
rm -rf ../*
rm -rf ../x
rm -rf ../../x
rm -rf a/..
rm -rf {.,..}
rm -rf .git/
rm -rf ./.git
rm -rf /home/user/project
rm -rf /home/user/project/*
rm -rf /home/user
rm -rf /home
rm -rf /Users/x
rm -rf /Users/x/Documents
rm -rf /usr/local/lib/node_modules
rm -rf /opt
rm -rf /mnt/data
rm -rf /some/path /tmp/x
rm -rf /tmp/
rm -rf /tmp/../etc
rm -rf /tmp/x/../../etc
rm -rf $X
rm -rf "$X"/*
rm -rf $(cat list)
rm -rf "$@"
rm -rf C:/
rm -rf /mnt/c/Windows
TMPDIR=/ rm -rf $TMPDIR/x
export TMPDIR=/; rm -rf $TMPDIR/x
TMPDIR=/tmp/../etc rm -rf $TMPDIR/x
env TMPDIR=/ bash -c 'rm -rf $TMPDIR/x'
rm -rf "$TMPDIR"/..
HOME=/tmp; rm -rf $HOME
cd / && rm -rf build
cd ~ && rm -rf x
cd $X && rm -rf build
pushd /; rm -rf etc
(cd /etc; rm -rf x)
cd - && rm -rf x
cd src/../.. && rm -rf x
git -C /x status; cd /x; rm -rf y
sh -c 'cd / && rm -rf x'
sudo -D / rm -rf x
find . -exec sh -c 'cd / && rm -rf x' \;
cd src && rm -rf ../..
rm -rf x; rm -rf /
ls || rm -rf ~
ls | rm -rf ~
>/dev/null rm -rf /
rm</dev/null -rf /
rm -rf</dev/null /
find . -delete
find . -type f -delete
find . -name '*.log' -delete
find . -delete -print
find . \( -name a -o -name b \) -delete
find . -not -name x -delete
find . -maxdepth 1 -delete
find . -prune -o -delete
find . -newer x -delete
find . -size +1M -delete
find . -user bob -delete
find . -fprintf x '%p' -delete
find . -fprint x -delete
find . -exec ls {} + -delete
find . -exec rm -rf {} \;
find . -exec rm -fr {} +
find . -exec rm --recursive --force {} +
find . -exec sudo rm -rf {} +
find . -exec sh -c 'rm -rf "$1"' _ {} \;
find . -exec sh -c 'rm -rf {}' \;
find . -exec busybox rm -rf {} +
find . -exec git reset --hard \;
find . -exec shred -u {} \;
find . -execdir rm -rf {} \;
find . -okdir rm -rf {} \;
find . -exec xargs rm -rf \;
find . -exec find {} -delete \;
find . -print0 | xargs -0 rm -rf
find / -exec rm -f {} \;
find ~ -exec rm {} \;
find .. -delete
find $X -delete
find . -regex x -delete
find . -regextype posix-extended -regex x -delete
find -D tree . -delete
find . -mount -depth -delete
find . -files0-from x -delete
find . -ls -delete
find . , -delete
find . -name x -a -delete
find -s . -delete
find -E . -regex x -delete
find . -Bmin 5 -delete
rm /etc/passwd
rm -f /bin/ls
mv /etc /tmp
mv ~ /tmp/x
mv * /dev/null
mv .git /tmp
mv ../project /tmp/x
cat x > /dev/sda
dd of=/dev/disk2 if=a
dd of="/dev/nvme0n1"
dd if=/dev/zero of=/dev/mapper/x
sudo dd if=a of=/dev/sda
dcfldd of=/dev/sda
dc3dd wipe=/dev/sda
dd of=/dev/rdisk2 if=x
dd of=/dev/vda
dd of=/dev/xvda
dd of=/dev/hda
mkfs /dev/sda
mkfs -t ext4 /dev/sda
mkfs.vfat -n LABEL /dev/sdb1
mkfs.minix /dev/sda
mkfs.reiserfs /dev/sda
mkfs.jfs /dev/sda
newfs_apfs /dev/disk2
mkdosfs /dev/sda
shred a
shred -zu a
shred --remove a
shred /dev/sda
nvme format /dev/nvme0n1
sgdisk -Z /dev/sda
parted /dev/sda rm 1
parted -s /dev/sda mklabel gpt
sfdisk --delete /dev/sda
diskutil partitionDisk disk2
truncate -s 0 /etc/passwd
rsync -a --delete-after a/ b/
rsync --delete-before a b
rsync --remove-source-files a b
echo x | sudo tee /etc/hosts
echo x > /boot/grub/grub.cfg
ln -sf x /etc/passwd
install x /usr/bin/y
echo x > ~/.bashrc
cp x ~/.profile
chmod -R 777 /
chmod -R 000 /
chmod -R 777 .
chmod 777 a.sh
chmod a+rwx a.sh
chmod -R a+rwx src
chmod 4755 a
chmod g+s a
chmod -R 700 ~
chown -R x:x ~
chown -R x /etc
wipefs -a /dev/sda
blkdiscard /dev/sda
zpool destroy x
lvremove x
srm -rf /
npx rimraf ~
del /s /q C:\\x
rmdir /s /q C:\\x
Remove-Item x -Recurse -Force
ri -r -fo x
cmd /c "rd /s /q C:\\x"
format C: /q
`;

const NOT_ALLOWED = `
chmod o+w a
chmod 666 a
del a.txt
Remove-Item a.txt
`;

/** What stands beside the dangerous and is daily work. */
const ALLOWED = String.raw`
rm -rf /tmp/x
rm -rf /tmp/x/
rm -rf /tmp/x /tmp/y
rm -rf /tmp/x*
rm -rf /tmp/*.log
rm -rf /var/tmp/x
rm -rf "$TMPDIR/x"
rm -rf /private/tmp/x
rm -rf /var/folders/a/b
rm -f /tmp/x
rm -f a.txt
rm a b c
rm -v a
rm -i a
rm -r src/old
rmdir x
rm -d x
rm *.log
rm -f *.o
rm ./a.txt
rm "$f"
rm -- -x
unlink a
cd /tmp && rm -rf x
find . -name '*.ts'
find . -name '-delete'
find . -name x -print
find . -exec echo -delete \;
find . -exec echo -delete +
find . -exec grep -delete {} +
find . -path -delete
find . -iname -delete
find . -newer -delete
find . -printf -delete
find . -user -delete
find . -type f -exec cat {} \;
find . -exec rm {} \;
find . -name '*.o' -exec rm -f {} +
find . -exec rm -rf --help \;
echo find . -delete
grep -r 'find . -delete' .
dd if=/dev/zero of=x bs=1M count=1
dd if=a of=/dev/null
dd if=/dev/sda of=x
shred --help
shred --version
parted -l
parted /dev/sda print
fdisk -l
diskutil list
rsync -av a b
rsync -avn --delete a b
rsync --dry-run --delete a b
chmod 755 a
chmod +x a
chmod 644 a
chmod -R 755 dist
chmod u+w a
chmod -R u+rwX src
chmod go-w a
chmod o-w a
chown x a
chown -R x:x src
wipefs /dev/sda
`;

describeSpellings("files, disks and permissions", { denied: DENIED, notAllowed: NOT_ALLOWED, allowed: ALLOWED });
